import type { Node } from 'web-tree-sitter';
import { resolveLiteral } from './words.js';

/** A program that a command runs, with its arguments, seen through what merely starts it (`env`, `timeout`, `xargs`). */
export interface Invocation {
  readonly node: Node;
  /** The last path component of the program; null where only running the command would tell. */
  readonly program: string | null;
  readonly programNode: Node;
  readonly args: readonly Argument[];
  /** The names of what it was seen through: `sudo`, `xargs`. */
  readonly through: readonly string[];
  /** The starters, each with its own arguments: what it starts, and what may stand in its options. */
  readonly starters: readonly StarterCall[];
}

export interface StarterCall {
  readonly program: string;
  readonly args: readonly Argument[];
  /** The index of the argument that is what it starts. */
  readonly startsAt: number;
}

export interface Argument {
  readonly node: Node;
  readonly literal: string | null;
}

/** Programs that start another program, and their options that take a value of their own. */
const STARTERS: Readonly<Record<string, { readonly valued: readonly string[]; readonly words: number }>> = {
  sudo: { valued: ['-u', '-g', '-h', '-p', '-C', '-r', '-t', '-T', '-U', '-D', '-R'], words: 0 },
  doas: { valued: ['-u', '-C'], words: 0 },
  pkexec: { valued: ['--user'], words: 0 },
  env: { valued: ['-u', '--unset', '-C', '--chdir', '-S'], words: 0 },
  nohup: { valued: [], words: 0 },
  setsid: { valued: [], words: 0 },
  time: { valued: ['-f', '-o'], words: 0 },
  nice: { valued: ['-n', '--adjustment'], words: 0 },
  ionice: { valued: ['-c', '-n', '-p'], words: 0 },
  timeout: { valued: ['-k', '-s', '--kill-after', '--signal'], words: 1 },
  stdbuf: { valued: ['-i', '-o', '-e'], words: 0 },
  command: { valued: [], words: 0 },
  builtin: { valued: [], words: 0 },
  exec: { valued: ['-a'], words: 0 },
  chroot: { valued: [], words: 1 },
  unshare: { valued: [], words: 0 },
  busybox: { valued: [], words: 0 },
  xargs: { valued: ['-I', '-n', '-P', '-L', '-s', '-d', '-a', '-E'], words: 0 },
  watch: { valued: ['-n', '--interval'], words: 0 },
  coproc: { valued: [], words: 0 },
  flock: { valued: ['-w', '-E'], words: 1 },
};

export function parseInvocation(command: Node): Invocation | null {
  const nameNode = command.childForFieldName('name');
  if (nameNode === null) return null;
  const words: Argument[] = command
    .childrenForFieldName('argument')
    .filter((node) => node !== null)
    .map((node) => ({ node, literal: resolveLiteral(node) }));
  let programNode = nameNode;
  let program = baseName(resolveLiteral(nameNode));
  let args: readonly Argument[] = words;
  const starters: StarterCall[] = [];
  for (let depth = 0; depth < 8; depth += 1) {
    const starter = program === null ? undefined : starterOf(program);
    if (starter === undefined || program === null) break;
    const next = afterStarter(args, starter, program === 'env');
    if (next === -1) break;
    const started = args[next];
    if (started === undefined) break;
    starters.push({ program, args, startsAt: next });
    programNode = started.node;
    program = baseName(started.literal);
    args = args.slice(next + 1);
  }
  const through = starters.map((starter) => starter.program);
  return { node: command, program, programNode, args, through, starters };
}

const starterOf = (program: string) => (Object.hasOwn(STARTERS, program) ? STARTERS[program] : undefined);

/** Finds the argument that is the program that is started; -1 where there is none. */
function afterStarter(
  args: readonly Argument[],
  starter: { readonly valued: readonly string[]; readonly words: number },
  takesVariables: boolean,
): number {
  let words = starter.words;
  for (let at = 0; at < args.length; at += 1) {
    const literal = args[at]?.literal ?? null;
    if (literal === '--') continue;
    if (literal?.startsWith('-') === true) {
      if (starter.valued.includes(literal)) at += 1;
      continue;
    }
    if (takesVariables && /^[A-Za-z_]\w*=/u.test(args[at]?.node.text ?? '')) continue;
    if (words > 0) {
      words -= 1;
      continue;
    }
    return at;
  }
  return -1;
}

const baseName = (path: string | null): string | null => (path === null ? null : (path.split('/').at(-1) ?? path));

/** Whether any argument is one of these options, alone or among joined letters (`-rf`). */
export function hasOption(args: readonly Argument[], letters: string, ...long: readonly string[]): boolean {
  return args.some(({ literal }) => {
    if (literal === null) return false;
    const [name = ''] = literal.split('=', 1);
    // As getopt takes it: the beginning of a long name stands for it.
    if (
      long.some(
        (option) => literal === option || (name.length >= 5 && name.startsWith('--') && option.startsWith(name)),
      )
    )
      return true;
    const [, cluster = ''] = /^-([A-Za-z]+)/u.exec(literal) ?? [];
    return Array.from(letters).some((letter) => cluster.includes(letter));
  });
}

/** The arguments that are no options: mostly files. */
export const operands = (args: readonly Argument[]): readonly Argument[] =>
  args.filter(({ literal }) => literal === null || literal === '-' || !literal.startsWith('-'));
