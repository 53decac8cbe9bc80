import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWithin } from './home-folder.js';
import { resolvePath } from '../../platform/files/resolve-path.js';

export interface FailedCommand {
  /** The last output of the command. */
  readonly said: string;
  readonly folder: string;
  /** Whether it saw what is really there. */
  readonly isSeen: (path: string) => boolean;
  /** Whether a place is never offered: keys, our own data. */
  readonly isKept: (path: string) => boolean;
  readonly homes: readonly string[];
}

/** More is no reason for one failure. */
const MAX_OFFERED = 3;
const MAX_WORDS = 400;

/** Names that mark a folder as one package, with what it needs beside it. */
const MARKS = ['package.json', 'pyproject.toml', 'setup.py', 'Cargo.toml', 'go.mod', 'deno.json', '.git'];

/**
 * Places outside that a command said it didn't find, and that are there: folders that it could be let read, by where they lead. Its
 * own words are all there is to go by, so nothing follows from them but what a person is offered.
 */
export function findNotShown(looked: FailedCommand): readonly string[] {
  const { said, folder, isSeen, isKept } = looked;
  const places = [...namedPaths(said, folder), ...namedModules(said, folder)];
  const found = new Set<string>();
  for (const place of places) {
    const real = resolvePath(place);
    if (real === null || isWithin(folder, real) || isSeen(real) || isKept(real)) continue;
    const offered = findOffered(real, looked);
    if (offered !== null) found.add(offered);
    if (found.size >= MAX_OFFERED) break;
  }
  return [...found].filter((path) => ![...found].some((other) => other !== path && isWithin(other, path)));
}

/** The paths in the output, as they are written, or from the folder. */
function namedPaths(said: string, folder: string): readonly string[] {
  const words = [...said.matchAll(/(?:^|[\s"'`‘’“”(=:,[])((?:\.{0,2}\/|[\w.@-]+\/)[^\s"'`‘’“”()=:,;[\]]*)/gmu)];
  const quoted = [...said.matchAll(/["'`‘“]((?:\.{0,2}\/)[^"'`’”\n]*)["'`’”]/gu)];
  return [...new Set([...quoted, ...words].slice(0, MAX_WORDS).map(([, word = '']) => resolve(folder, word)))];
}

/** Packages above the folder, or that a link in it leads to. */
function namedModules(said: string, folder: string): readonly string[] {
  const named = [
    ...said.matchAll(
      /(?:cannot find|can’t resolve|can't resolve|could not resolve) (?:module|package)? ?["'`]([^"'`\n./][^"'`\n]*)["'`]/giu,
    ),
  ];
  const names = [...new Set(named.slice(0, MAX_OFFERED).map(([, name = '']) => packageOf(name)))];
  return names.flatMap((name) => {
    const above: string[] = [];
    for (let at = folder; ; at = dirname(at)) {
      const place = join(at, 'node_modules', name);
      if (isThere(place)) above.push(place);
      if (at === '/') return above;
    }
  });
}

const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** The folder that it is a part of; the path itself where that would be too much. */
function findOffered(real: string, { homes, isKept }: FailedCommand): string | null {
  const isTooMuch = (path: string): boolean =>
    path === '/' || homes.some((home) => isWithin(path, home)) || isKept(path);
  const modules = /^(.*\/node_modules)(?:\/|$)/u.exec(real)?.[1];
  if (modules !== undefined && !isTooMuch(modules)) return modules;
  const folder = isFolder(real) ? real : dirname(real);
  for (let at = folder; !isTooMuch(at); at = dirname(at))
    if (MARKS.some((name) => existsSync(join(at, name)))) return at;
  // A whole disk is more than a file of it.
  if (!isTooMuch(folder) && (isFolder(real) || dirname(folder) !== '/')) return folder;
  return isFolder(real) ? null : real;
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
