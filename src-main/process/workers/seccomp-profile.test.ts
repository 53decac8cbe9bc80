import { expect, test } from 'vitest';
import { FORBIDDEN, MISSING } from '../confinement/system-calls.js';
import { plainProfile, workerProfile } from './seccomp-profile.js';

test('What no command may is taken out wherever it stands, and nothing is made up where there is no list', () => {
  const allow = { action: 'SCMP_ACT_ALLOW' };
  const theirs = {
    defaultAction: 'SCMP_ACT_ERRNO',
    archMap: [{ architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86'] }],
    syscalls: [
      { names: ['read', 'keyctl', 'clone3', 'unshare', 'socket'], ...allow },
      { names: ['mount'], ...allow },
    ],
  };
  const ours = JSON.parse(workerProfile(JSON.stringify(theirs)) ?? '') as typeof theirs;
  expect(ours.defaultAction).toBe('SCMP_ACT_ERRNO');
  expect(ours.archMap[0]?.subArchitectures).toEqual([]);
  const allowed = ours.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW').flatMap(({ names }) => names);
  expect([...new Set(allowed)]).toEqual(['read', 'clone', 'socket', 'socketpair']);
  for (const text of ['', '[]', '{"syscalls":[{}]}']) expect(workerProfile(text)).toBeNull();
});

test('Without a list of an engine the same is refused, whatever stands above the bits that the kernel looks at', () => {
  interface Rule {
    readonly names: readonly string[];
    readonly errnoRet: number;
    readonly args: readonly {
      readonly index: number;
      readonly op: string;
      readonly value: number;
      readonly valueTwo: number;
    }[];
  }
  const { syscalls } = plainProfile('x64') as { readonly syscalls: readonly Rule[] };
  const holds = ({ op, value, valueTwo }: Rule['args'][number], given: bigint): boolean => {
    if (op === 'SCMP_CMP_MASKED_EQ') return (given & BigInt(value)) === BigInt(valueTwo);
    if (op === 'SCMP_CMP_GT') return given > BigInt(value);
    return (op === 'SCMP_CMP_EQ') === (given === BigInt(value));
  };
  const refused = (name: string, ...given: readonly (number | bigint)[]): boolean =>
    syscalls.some(
      ({ names, args }) => names.includes(name) && args.every((arg) => holds(arg, BigInt(given[arg.index] ?? 0))),
    );
  for (const name of [...MISSING, ...FORBIDDEN]) expect(refused(name), name).toBe(true);
  const families = Array.from({ length: 50 }, (_, family) => family);
  expect(families.filter((family) => !refused('socket', family, 1, 0))).toEqual([1, 2, 10, 16]);
  expect([
    refused('socket', 16, 3, 9),
    refused('socket', 2n ** 32n + 17n),
    refused('socketpair', 2),
    refused('socketpair', 1),
  ]).toEqual([true, true, true, false]);
  // A thread; then with each namespace there is.
  expect(refused('clone', 0x3d0f00)).toBe(false);
  for (const bit of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])
    expect([refused('clone', bit | 17), refused('unshare', bit)]).toEqual([true, true]);
  expect([refused('unshare', 0x200), refused('ioctl', 0, 0x5401), refused('ioctl', 0, 2n ** 32n + 0x5412n)]).toEqual([
    false,
    false,
    true,
  ]);
  expect(plainProfile('mips')).toBeNull();
});
