import { FORBIDDEN, MISSING } from '../confinement/seccomp/system-calls.js';
import { readTextOrNull } from '../environment/system-files.js';

interface SeccompRule {
  readonly names: readonly string[];
  readonly action: string;
  readonly [more: string]: unknown;
}

interface SeccompProfile {
  readonly syscalls: readonly SeccompRule[];
  readonly archMap?: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

const PLACES: readonly string[] = ['/etc/containers/seccomp.json', '/usr/share/containers/seccomp.json'];

/**
 * The system calls that podman’s containers may make by default, less those that no command of ours may: podman lets
 * namespaces be made, so that containers can run in containers, and the session’s keys be used. Null where it has no
 * list to go by.
 */
export function buildWorkerProfile(
  text: string | null = PLACES.map((path) => readTextOrNull(path)).find((each) => each !== null) ?? null,
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

/** The calls that are judged by their arguments. */
const LOOKED_AT: readonly string[] = ['clone', 'unshare', 'socket', 'socketpair'];
const [EPERM, ENOSYS] = [1, 38];
const CLONE_NEW = 0x7e020000;
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, NETLINK_ROUTE] = [1, 2, 10, 16, 0];

function read(text: string): SeccompProfile | null {
  try {
    const profile = JSON.parse(text) as SeccompProfile;
    return Array.isArray(profile.syscalls) && profile.syscalls.every(({ names }) => Array.isArray(names))
      ? profile
      : null;
  } catch {
    return null;
  }
}
