import { basename } from 'node:path';
import type { PackageRequest } from '../../../domain/ports/sources/packages.js';

/** The package that a command fetches, by the words of the command. */
export interface FetchedPackage {
  readonly asked: PackageRequest;
  /** Arguments for the program itself. */
  readonly args: readonly string[];
}

/** Null where the command fetches nothing. A text says what to do instead. */
export function readFetchedPackage(command: string, args: readonly string[]): FetchedPackage | string | null {
  const name = basename(command);
  if (name === 'npx') return readNpx(args);
  if (name === 'uvx') return readUvx(args);
  return FETCHERS.has(name) ? suggestInstall(name, args) : null;
}

const FETCHERS: ReadonlySet<string> = new Set(['bunx', 'pnpx']);
/** Flags that say nothing about what is run. */
const IGNORED_FLAGS: ReadonlySet<string> = new Set(['-y', '--yes', '-q', '--quiet', '--silent']);
/** A package of the registry: no address, no folder, no archive. */
const NPM_SPEC = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~][\w.~-]*(?:@[\w.^~<>=*+-]+)?$/iu;

function readNpx(args: readonly string[]): FetchedPackage | string {
  let from: string | null = null;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const [, named] = /^--package=(.*)$/u.exec(word) ?? [];
    if (named !== undefined) from = named;
    else if (word === '-p' || word === '--package') from = args[(at += 1)] ?? '';
    else if (!IGNORED_FLAGS.has(word)) {
      if (word.startsWith('-'))
        return `npx is not understood with ${word}. Write npx -y <package> and what the program is given.`;
      const asked = {
        kind: 'npm' as const,
        ...(from === null ? { spec: word, program: null } : { spec: from, program: word }),
      };
      if (!NPM_SPEC.test(asked.spec))
        return `npx is understood with a package of the registry, and ${asked.spec} is none.`;
      return { asked, args: args.slice(at + 1) };
    }
  }
  return 'npx is to start a package, and names none. Write npx -y <package> and what the program is given.';
}

/** A package of the index: no address, no folder, no archive. */
const PYTHON_SPEC = /^[a-z0-9](?:[\w.-]*[a-z0-9])?(?:\[[\w.,-]+\])?(?:(?:==|@)[\w.!+-]+)?$/iu;

function readUvx(args: readonly string[]): FetchedPackage | string {
  let from: string | null = null;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const [, named] = /^--from=(.*)$/u.exec(word) ?? [];
    if (named !== undefined) from = named;
    else if (word === '--from') from = args[(at += 1)] ?? '';
    else if (!IGNORED_FLAGS.has(word)) {
      if (word.startsWith('-'))
        return `uvx is not understood with ${word}. Write uvx <package> and what the program is given.`;
      const spec = from ?? word;
      if (!PYTHON_SPEC.test(spec)) return `uvx is understood with a package of the index, and ${spec} is none.`;
      // uvx writes a version behind an @, pip behind ==.
      const exact = spec.replace(/@latest$/u, '').replace('@', '==');
      return { asked: { kind: 'python', spec: exact, program: from === null ? null : word }, args: args.slice(at + 1) };
    }
  }
  return 'uvx is to start a package, and names none. Write uvx <package> and what the program is given.';
}

/** A start fetches nothing: what would run tomorrow is not what was accepted today. */
function suggestInstall(fetcher: string, args: readonly string[]): string {
  const asked = args.find((arg) => !arg.startsWith('-')) ?? '<package>';
  const bare = asked.replace(/(?<=.)@[^@/]*$/u, '');
  const install = `npm install --global ${asked}`;
  return `“${fetcher}” would fetch a program each time that it starts, and what it fetches can be another one tomorrow. Install it once (${install}), and start the program that it installs: command = "${bare}".`;
}
