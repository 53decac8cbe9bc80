import { FORBIDDEN, MISSING } from '../confinement/system-calls.js';
import { textOf } from '../environment/system-files.js';

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly [more: string]: unknown;
}

interface Profile {
  readonly syscalls: readonly Rule[];
  readonly archMap?: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

const PLACES: readonly string[] = ['/etc/containers/seccomp.json', '/usr/share/containers/seccomp.json'];

/**
 * What podman’s containers may ask of the kernel by themselves, less what no command of ours may: podman lets namespaces be
 * made, so that containers can run in containers, and the session’s keys be used. Null where it has no list to go by.
 */
export function workerProfile(
  text: string | null = PLACES.map((path) => textOf(path)).find((each) => each !== null) ?? null,
) {
  const profile = text === null ? null : read(text);
  if (profile === null) return null;
  const ruled = new Set<string>([...MISSING, ...FORBIDDEN, ...LOOKED_AT]);
  const others = profile.syscalls
    .map((rule) => ({ ...rule, names: rule.names.filter((name) => !ruled.has(name)) }))
    .filter(({ names }) => names.length > 0);
  const refuse = (names: readonly string[], errnoRet: number) => ({ names, action: 'SCMP_ACT_ERRNO', errnoRet });
  const allow = (name: string, index: number, op: string, value: number) => ({
    names: [name],
    action: 'SCMP_ACT_ALLOW',
    args: [{ index, op, value, valueTwo: 0 }],
  });
  return JSON.stringify({
    ...profile,
    // Of other ways to make calls, which have other numbers, nothing is known.
    archMap: profile.archMap?.map((each) => ({ ...each, subArchitectures: [] })),
    syscalls: [
      ...others,
      refuse(MISSING, ENOSYS),
      refuse([...FORBIDDEN, 'unshare'], EPERM),
      allow('clone', 0, 'SCMP_CMP_MASKED_EQ', CLONE_NEW),
      ...[AF_UNIX, AF_INET, AF_INET6].map((family) => allow('socket', 0, 'SCMP_CMP_EQ', family)),
      // Which addresses there are; of its protocols only that.
      {
        names: ['socket'],
        action: 'SCMP_ACT_ALLOW',
        args: [
          { index: 0, op: 'SCMP_CMP_EQ', value: AF_NETLINK, valueTwo: 0 },
          { index: 2, op: 'SCMP_CMP_EQ', value: NETLINK_ROUTE, valueTwo: 0 },
        ],
      },
      allow('socketpair', 0, 'SCMP_CMP_EQ', AF_UNIX),
    ],
  });
}

/**
 * Where no list of an engine is: what commands are refused, in runc’s words (seccomp-filter.ts says the same to the kernel itself).
 * What is not named is allowed. Each rule refuses by itself, so what is allowed is told by what is left over.
 */
export function plainProfile(machine: string = process.arch): object | null {
  const architecture = { x64: 'SCMP_ARCH_X86_64', arm64: 'SCMP_ARCH_AARCH64' }[machine];
  if (architecture === undefined) return null;
  type Arg = readonly [index: number, op: string, value: number, valueTwo?: number];
  const refuse = (names: readonly string[], errnoRet: number, ...args: readonly Arg[]) => ({
    names,
    action: 'SCMP_ACT_ERRNO',
    errnoRet,
    args: args.map(([index, op, value, valueTwo = 0]) => ({ index, op, value, valueTwo })),
  });
  const bits = (mask: number): readonly number[] =>
    Array.from({ length: 32 }, (_, at) => 2 ** at).filter((bit) => (mask & bit) !== 0);
  const permitted = [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK];
  const families = Array.from({ length: AF_NETLINK }, (_, family) => family).filter(
    (each) => !permitted.includes(each),
  );
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    // Of other ways to make calls, which have other numbers, none is answered.
    architectures: [architecture],
    syscalls: [
      refuse(MISSING, ENOSYS),
      refuse(FORBIDDEN, EPERM),
      ...bits(CLONE_NEW).map((bit) => refuse(['clone'], EPERM, [0, 'SCMP_CMP_MASKED_EQ', bit, bit])),
      ...bits(CLONE_NEW | CLONE_NEWTIME).map((bit) => refuse(['unshare'], EPERM, [0, 'SCMP_CMP_MASKED_EQ', bit, bit])),
      ...families.map((family) => refuse(['socket'], EAFNOSUPPORT, [0, 'SCMP_CMP_EQ', family])),
      refuse(['socket'], EAFNOSUPPORT, [0, 'SCMP_CMP_GT', AF_NETLINK]),
      refuse(['socket'], EAFNOSUPPORT, [0, 'SCMP_CMP_EQ', AF_NETLINK], [2, 'SCMP_CMP_NE', NETLINK_ROUTE]),
      refuse(['socketpair'], EAFNOSUPPORT, [0, 'SCMP_CMP_NE', AF_UNIX]),
      // Typing into a terminal, pasting into it, and loading what the kernel handles it with.
      ...[0x5412, 0x541c, 0x5423].map((request) =>
        refuse(['ioctl'], EPERM, [1, 'SCMP_CMP_MASKED_EQ', 0xffffffff, request]),
      ),
    ],
  };
}

/** By what they are asked for. */
const LOOKED_AT: readonly string[] = ['clone', 'unshare', 'socket', 'socketpair'];
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const CLONE_NEW = 0x7e020000;
const CLONE_NEWTIME = 0x80;
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, NETLINK_ROUTE] = [1, 2, 10, 16, 0];

function read(text: string): Profile | null {
  try {
    const profile = JSON.parse(text) as Profile;
    return Array.isArray(profile.syscalls) && profile.syscalls.every(({ names }) => Array.isArray(names))
      ? profile
      : null;
  } catch {
    return null;
  }
}
