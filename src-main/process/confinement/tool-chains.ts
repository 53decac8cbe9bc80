import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { realPathOf } from '../../platform/files/resolve-path.js';
import { isWithin } from './home-folder.js';

/** The folders beside `bin` in an installation that its programs need. */
const BESIDE_PROGRAMS: readonly string[] = ['lib', 'lib64', 'libexec', 'share', 'include'];
/** More entries than that are no folder of programs. */
const MAX_PROGRAMS = 2000;
const MAX_FOLDERS = 200;

export interface ToolChainRequest {
  /** Where programs are looked for: nothing in it leads to where tools may write. */
  readonly path: string;
  /** Where it is seen already. */
  readonly isSeen: (path: string) => boolean;
  /** The folders that are nobody's installation: people's own, and those that tools may write to. */
  readonly notIn: readonly string[];
  /** Null where there is none. */
  readonly folder: string | null;
}

/**
 * The folders that programs in PATH need besides what is seen anyway, by where they lead: the installation that a
 * folder of programs belongs to, the targets of its links and shims, and the interpreter that a virtual environment is
 * based on.
 */
export function findToolChains(request: ToolChainRequest): readonly string[] {
  const { path, isSeen } = request;
  const folders = [...new Set(path.split(':').filter((folder) => folder.startsWith('/')))];
  const ofPath = folders.flatMap((folder) => {
    const real = realPathOf(folder);
    return [
      ...findInstallation(real, request),
      ...findLinkedFolders(real, request),
      ...findVenvBase(dirname(real), request),
    ];
  });
  const ofFolder = request.folder === null ? [] : environmentsIn(request.folder, request);
  return [...new Set([...ofPath, ...ofFolder])].filter((each) => !isSeen(each));
}

/** A folder of programs with what is beside it; of one that is somebody's home, itself alone. */
function findInstallation(programs: string, { isSeen, notIn }: ToolChainRequest): readonly string[] {
  if (isSeen(programs)) return [];
  const whole = dirname(programs);
  const isOwn = whole === '/' || notIn.some((each) => isWithin(whole, each) || isWithin(each, whole));
  if (isOwn) return [programs];
  // Scripts that stand for programs are told by their folder where those are.
  if (basename(programs) === 'shims') return [whole];
  if (!/^s?bin$/u.test(basename(programs))) return [programs];
  return [programs, ...BESIDE_PROGRAMS.map((name) => join(whole, name)).filter((each) => existsSync(each))];
}

/** The targets of links in a folder of programs. */
function findLinkedFolders(programs: string, request: ToolChainRequest): readonly string[] {
  const { isSeen, notIn } = request;
  const links = namesIn(programs, MAX_PROGRAMS).flatMap((name) => {
    const target = resolveLink(join(programs, name));
    return target === null || isSeen(target) ? [] : [target];
  });
  return [...new Set(links)].slice(0, MAX_FOLDERS).flatMap((target) => {
    const folder = dirname(target);
    if (notIn.some((each) => isWithin(each, target))) return [];
    const [before, ...rest] = target.split('/node_modules/');
    if (rest.length > 0 && before !== undefined) return [join(before, 'node_modules')];
    return /^s?bin$/u.test(basename(folder)) ? [...findInstallation(folder, request), target] : [target];
  });
}

function resolveLink(path: string): string | null {
  try {
    readlinkSync(path);
    const target = realPathOf(path);
    return target === path ? null : target;
  } catch {
    return null;
  }
}

/** Virtual environments at the top of the folder: what they say of their interpreter counts only where that is one. */
const environmentsIn = (folder: string, request: ToolChainRequest): readonly string[] =>
  namesIn(folder, MAX_PROGRAMS).flatMap((name) => findVenvBase(join(folder, name), request));

/** The base of a virtual environment: Python's own programs and library, wherever these are; empty where it is none. */
function findVenvBase(environment: string, { isSeen, notIn }: ToolChainRequest): readonly string[] {
  const said = textIn(join(environment, 'pyvenv.cfg'));
  const home = /^home\s*=\s*(\/[^\n\r]*?)\s*$/mu.exec(said ?? '')?.[1];
  if (home === undefined) return [];
  const programs = realPathOf(resolve(home));
  const whole = dirname(programs);
  if (isSeen(programs) || basename(programs) !== 'bin' || notIn.some((each) => isWithin(each, programs))) return [];
  // An agent may write what it says: only what is Python's library is shown for it.
  const libraries = namesIn(join(whole, 'lib'), MAX_PROGRAMS)
    .filter((name) => /^python3(?:\.\d+)?t?$/u.test(name) && existsSync(join(whole, 'lib', name, 'os.py')))
    .map((name) => join(whole, 'lib', name));
  if (libraries.length === 0) return [];
  const named = (folder: string, pattern: RegExp): readonly string[] =>
    namesIn(folder, MAX_PROGRAMS)
      .filter((name) => pattern.test(name))
      .map((name) => join(folder, name));
  return [...libraries, ...named(programs, /^python[\d.]*t?$/u), ...named(join(whole, 'lib'), /^libpython[\w.]*$/u)];
}

function namesIn(folder: string, most: number): readonly string[] {
  try {
    const names = readdirSync(folder);
    return names.length > most ? [] : names;
  } catch {
    return [];
  }
}

function textIn(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').slice(0, 4096);
  } catch {
    return null;
  }
}
