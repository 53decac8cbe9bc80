import { FORBIDDEN, MISSING, type SystemCalls, systemCallsOf } from './system-calls.js';

/**
 * A program for the kernel (seccomp, classic BPF) that decides about each system call of a confined command. What is not
 * named is allowed: the confinement does not stand on it. It closes what no mount and no namespace does: the session's keys,
 * devices of terminals, and the corners of the kernel that nothing a command is run for needs.
 *
 * It sees numbers, not what pointers lead to. So it can't tell which socket is connected to, and AF_UNIX stays: test suites,
 * databases and build tools use it, and what they could reach by it is not there.
 */
export function buildSeccompFilter(machine: string = process.arch): Buffer | null {
  const calls = systemCallsOf(machine);
  return calls === null ? null : encode(program(calls));
}

/** One instruction: its code, how many to skip if it holds and if not, and the number to compare with. */
type FilterInstruction = readonly [code: number, jumpTrue: number, jumpFalse: number, k: number];

// Words of 32 bits of what the kernel shows: the call's number, the machine, and the halves of the arguments.
const LOAD = 0x20;
const EQUALS = 0x15;
const AT_LEAST = 0x35;
const HAS_ANY_BIT = 0x45;
const RETURN = 0x06;

const NUMBER = 0;
const MACHINE = 4;
/** The kernel itself looks at no more than this half of the arguments that are looked at here. */
const argument = (index: number): number => 16 + 8 * index;

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const refuse = (errno: number): number => 0x00050000 | errno;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const CLONE_NEW = 0x7e020000;
/** Means something else to `clone`. */
const CLONE_NEWTIME = 0x80;

/** Typing into a terminal, pasting into it, and loading what the kernel handles it with. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const TIOCSETD = 0x5423;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
/** The family of netlink sockets; of its protocols only the one that lists addresses is allowed. */
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

function program({ audit, otherWay, numbers }: SystemCalls): readonly FilterInstruction[] {
  const returns = (value: number): FilterInstruction => [RETURN, 0, 0, value];
  const load = (offset: number): FilterInstruction => [LOAD, 0, 0, offset];
  /** Does `then` where the word is `k`; it has to end in a return. */
  const where = (code: number, k: number, then: readonly FilterInstruction[]): FilterInstruction[] => [
    [code, 0, then.length, k],
    ...then,
  ];
  const call = (name: keyof typeof numbers, then: readonly FilterInstruction[]): FilterInstruction[] => {
    const number = numbers[name];
    return number === null ? [] : where(EQUALS, number, then);
  };
  const permitted = (values: readonly number[]): FilterInstruction[] =>
    values.flatMap((value) => where(EQUALS, value, [returns(ALLOW)]));

  return [
    load(MACHINE),
    // The same processor takes calls of others (32 bit), with other numbers.
    [EQUALS, 1, 0, audit],
    returns(KILL),
    load(NUMBER),
    ...(otherWay === null ? [] : where(AT_LEAST, otherWay, [returns(refuse(ENOSYS))])),
    ...call('ioctl', [
      load(argument(1)),
      ...[TIOCSTI, TIOCLINUX, TIOCSETD].flatMap((request) => where(EQUALS, request, [returns(refuse(EPERM))])),
      returns(ALLOW),
    ]),
    ...call('clone', [load(argument(0)), ...where(HAS_ANY_BIT, CLONE_NEW, [returns(refuse(EPERM))]), returns(ALLOW)]),
    ...call('unshare', [
      load(argument(0)),
      ...where(HAS_ANY_BIT, CLONE_NEW | CLONE_NEWTIME, [returns(refuse(EPERM))]),
      returns(ALLOW),
    ]),
    ...call('socket', [
      load(argument(0)),
      ...permitted([AF_UNIX, AF_INET, AF_INET6]),
      ...where(EQUALS, AF_NETLINK, [load(argument(2)), ...permitted([NETLINK_ROUTE]), returns(refuse(EAFNOSUPPORT))]),
      returns(refuse(EAFNOSUPPORT)),
    ]),
    ...call('socketpair', [load(argument(0)), ...permitted([AF_UNIX]), returns(refuse(EAFNOSUPPORT))]),
    ...MISSING.flatMap((name) => call(name, [returns(refuse(ENOSYS))])),
    ...FORBIDDEN.flatMap((name) => call(name, [returns(refuse(EPERM))])),
    returns(ALLOW),
  ];
}

function encode(instructions: readonly FilterInstruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, k]] of instructions.entries()) {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(jumpTrue, at + 2);
    bytes.writeUInt8(jumpFalse, at + 3);
    bytes.writeUInt32LE(k >>> 0, at + 4);
  }
  return bytes;
}
