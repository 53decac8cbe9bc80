import { describe, expect, it } from 'vitest';
import { buildSeccompFilter } from './seccomp-filter.js';
import { FORBIDDEN, MISSING, systemCallsOf } from './system-calls.js';

const ALLOWED = 'allowed';
const MACHINES = ['x64', 'arm64'] as const;
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** Runs the program as the kernel does, on one system call. */
function decide(program: Buffer, audit: number, number: number, args: readonly bigint[] = []): string {
  const shown = Buffer.alloc(64);
  shown.writeInt32LE(number | 0, 0);
  shown.writeUInt32LE(audit, 4);
  for (const [index, value] of args.entries()) shown.writeBigUInt64LE(value, 16 + 8 * index);
  let word = 0;
  for (let at = 0; ; at += 1) {
    if (at * 8 >= program.length) throw new Error('it runs off its end');
    const [code, yes, no] = [
      program.readUInt16LE(at * 8),
      program.readUInt8(at * 8 + 2),
      program.readUInt8(at * 8 + 3),
    ];
    const k = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) word = shown.readUInt32LE(k);
    else if (code === 0x15) at += word === k ? yes : no;
    else if (code === 0x35) at += word >= k ? yes : no;
    else if (code === 0x45) at += (word & k) === 0 ? no : yes;
    else if (code === 0x06) {
      if (k === 0x7fff0000) return ALLOWED;
      if (k === 0x80000000) return 'killed';
      return `refused ${k & 0xffff}`;
    } else throw new Error(`the kernel does not know ${code}`);
  }
}

describe.each(MACHINES)('on %s', (machine) => {
  const program = buildSeccompFilter(machine) ?? Buffer.alloc(0);
  const numbers = systemCallsOf(machine)?.numbers;
  const on = (name: keyof NonNullable<typeof numbers>, ...args: (number | bigint)[]): string => {
    const number = numbers?.[name] ?? null;
    if (number === null) return 'not there';
    return decide(program, AUDIT[machine], number, args.map(BigInt));
  };

  it('is whole: no longer than the kernel takes, and no jump leads out of it', () => {
    expect(program.length % 8).toBe(0);
    expect(program.length / 8).toBeLessThanOrEqual(4096);
    for (let at = 0; at < program.length / 8; at += 1) {
      const [yes, no] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)];
      expect(at + 1 + Math.max(yes, no)).toBeLessThan(
        program.length / 8 + (program.readUInt16LE(at * 8) === 6 ? 1 : 0),
      );
    }
  });

  it('every number of the table that is not named is allowed, and every other machine’s calls are none', () => {
    const named = new Set(Object.values(numbers ?? {}));
    for (let number = 0; number < 700; number += 1) {
      if (!named.has(number)) expect(decide(program, AUDIT[machine], number), `${number}`).toBe(ALLOWED);
      for (const audit of [0x40000003, 0x40000028, AUDIT[machine === 'x64' ? 'arm64' : 'x64']]) {
        expect(decide(program, audit, number)).toBe('killed');
      }
    }
  });

  it('what a program can do without is missing, and the rest not permitted', () => {
    for (const name of MISSING) expect(['refused 38', 'not there'], name).toContain(on(name));
    for (const name of FORBIDDEN) expect(['refused 1', 'not there'], name).toContain(on(name));
    for (const name of ['keyctl', 'add_key', 'request_key', 'io_uring_setup', 'clone3'] as const) {
      expect(on(name)).toBe('refused 38');
    }
    for (const name of ['bpf', 'perf_event_open', 'userfaultfd', 'mount', 'setns', 'kexec_load'] as const) {
      expect(on(name)).toBe('refused 1');
    }
  });

  it('no process gets namespaces of its own, and threads and forks are as ever', () => {
    for (const flag of [0x10000000, 0x20000, 0x20000000, 0x40000000, 0x8000000, 0x4000000, 0x2000000]) {
      expect(on('clone', flag | 17), flag.toString(16)).toBe('refused 1');
      expect(on('unshare', flag), flag.toString(16)).toBe('refused 1');
      // What stands in the half that the kernel does not look at hides nothing.
      expect(on('clone', BigInt(flag) | 0xffffffff00000000n)).toBe('refused 1');
    }
    expect(on('unshare', 0x80)).toBe('refused 1');
    expect(on('unshare', 0x400 | 0x200)).toBe(ALLOWED);
    expect(on('clone', 17), 'fork').toBe(ALLOWED);
    expect(on('clone', 0x3d0f00), 'a thread').toBe(ALLOWED);
    expect(on('clone', 0x4111), 'vfork').toBe(ALLOWED);
  });

  it('nobody types into a terminal or changes what handles it', () => {
    for (const request of [0x5412, 0x541c, 0x5423]) {
      expect(on('ioctl', 1, request)).toBe('refused 1');
      expect(on('ioctl', 1, BigInt(request) | 0xabcd_0000_0000n), 'the kernel takes 32 bits').toBe('refused 1');
    }
    for (const request of [0x5401, 0x5413, 0x541b, 0x5421]) expect(on('ioctl', 1, request)).toBe(ALLOWED);
  });

  it('sockets of the usual families alone', () => {
    for (const family of [1, 2, 10]) expect(on('socket', family, 1, 0)).toBe(ALLOWED);
    expect(on('socket', 16, 3, 0), 'which addresses there are').toBe(ALLOWED);
    for (const protocol of [1, 2, 4, 9, 15, 16]) expect(on('socket', 16, 3, protocol)).toBe('refused 97');
    for (const family of [0, 3, 4, 5, 9, 15, 17, 21, 29, 30, 31, 38, 39, 40, 42, 44, 45]) {
      expect(on('socket', family, 1, 0), `${family}`).toBe('refused 97');
    }
    expect(on('socket', 0x1_0000_0026n, 1, 0), 'the kernel takes 32 bits').toBe('refused 97');
    expect(on('socketpair', 1, 1, 0)).toBe(ALLOWED);
    expect(on('socketpair', 30, 1, 0)).toBe('refused 97');
  });
});

it('calls of 64-bit programs with short addresses (x32) are refused on x86_64, whatever they are', () => {
  const program = buildSeccompFilter('x64') ?? Buffer.alloc(0);
  for (const number of [0x40000000, 0x400000fa, 0x7fffffff, 0xffffffff]) {
    expect(decide(program, AUDIT.x64, number)).toBe('refused 38');
  }
});

it('for other machines there is none', () => {
  expect(buildSeccompFilter('riscv64')).toBeNull();
  expect(buildSeccompFilter('ia32')).toBeNull();
});
