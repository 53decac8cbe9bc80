import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readSmallFile } from '../../platform/files/small-file.js';
import { findPathsIn, isCode } from './own-files.js';

/** The places that a script names, as it is written. */
interface NamedByScript {
  /** Absolute, there or not. */
  readonly absolute: readonly string[];
  /** The names that are looked up beside it, each in the ways that languages find it. */
  readonly beside: readonly string[];
  /** Those that may be looked up where it starts, too. */
  readonly relative: readonly string[];
}

/** Null: no text that somebody wrote by hand. */
type ScriptReading = NamedByScript | 'too-large' | null;

const MAX_SCRIPT_BYTES = 8 * 2 ** 20;
/** Bundles of several megabytes name some 6,000. */
const MAX_NAMES = 20_000;
const MAX_CACHED = 1000;
const BEGINNING_BYTES = 4096;

/** Finds what scripts name. One is read again when it changed. */
export class ScriptNames {
  readonly #known = new Map<string, { readonly stamp: string; readonly reading: ScriptReading }>();

  /** Finds absolute places, and those that are there. `at`: which word of its command it is. Null where it is too large. */
  find(script: string, at: number, cwd: string | null, homes: readonly string[]): readonly string[] | null {
    const reading = this.#read(script, at, homes);
    if (reading === null) return [];
    if (reading === 'too-large') return null;
    const { absolute, beside, relative } = reading;
    const all = [
      ...[...beside, ...relative].map((name) => resolve(dirname(script), name)),
      ...(cwd === null ? [] : relative.map((name) => resolve(cwd, name))),
    ];
    return [...absolute, ...all.filter((path) => path !== script && existsSync(path))];
  }

  #read(path: string, at: number, homes: readonly string[]): ScriptReading {
    const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (facts === undefined) return null;
    const stamp = [at, ...homes, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(' ');
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.reading;
    const reading = readScript(path, at, homes);
    if (this.#known.size >= MAX_CACHED) this.#known.clear();
    this.#known.set(path, { stamp, reading });
    return reading;
  }
}

function readScript(path: string, at: number, homes: readonly string[]): ScriptReading {
  const beginning = readBeginning(path);
  const isText = beginning !== null && !beginning.includes('\0');
  if (!isText || !(at < 2 || isCode(path) || beginning.startsWith('#!'))) return null;
  const text = readSmallFile(path, MAX_SCRIPT_BYTES);
  if (text === null) return 'too-large';
  if (text.includes('\0')) return null;
  const absolute = distinct(findPathsIn(text, homes));
  // What follows a folder that is found as it runs: `$(dirname "$0")/lib.sh`.
  const beside = distinct([...findPathsIn(text).map((name) => `.${name}`), ...findModules(text)]);
  const relative = distinct(findRelativeNames(text));
  const isTooMuch = absolute.length + beside.length + relative.length > MAX_NAMES;
  return isTooMuch ? 'too-large' : { absolute, beside, relative };
}

function readBeginning(path: string): string | null {
  try {
    const handle = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(BEGINNING_BYTES);
      return bytes.toString('latin1', 0, readSync(handle, bytes));
    } finally {
      closeSync(handle);
    }
  } catch {
    return null;
  }
}

/** A path that begins where it is: `./lib.sh`, `'../lib'`. */
const RELATIVE = /(?<![\w/.~-])\.{1,2}\/[^\s:;,='"`<>|&()[\]{}]+/gu;
/** What a shell reads in its own place. */
const SOURCED = /(?:^|[;&|({]|\b(?:then|do|else))[ \t]*(?:\.|source)[ \t]+["']?([^\s"';&|)]+)/gmu;
const REQUIRED = /\b(?:require|include|load)(?:_once|_relative)?[ \t]*\(?[ \t]*["']([^"']+)["']/gu;
const PYTHON_FROM = /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w, \t]*)/gmu;
const PYTHON_IMPORT = /^[ \t]*import[ \t]+([\w., \t]+)/gmu;

/** Endings that a language puts behind a name that has none. */
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.json', '.rb', '.pl'];

const findRelativeNames = (text: string): readonly string[] =>
  [RELATIVE, SOURCED, REQUIRED]
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([whole, name]) => name ?? whole))
    .flatMap((name) => ENDINGS.map((ending) => `${name}${ending}`));

function findModules(text: string): readonly string[] {
  const imported = [...text.matchAll(PYTHON_IMPORT)].flatMap(([, names = '']) => names.split(','));
  const from = [...text.matchAll(PYTHON_FROM)].flatMap(([, module = '', names = '']) =>
    module.startsWith('.') ? [module.replace(/^\.+/u, ''), ...names.split(',')] : [module],
  );
  const modules = [...imported, ...from]
    .map((name) => /^\s*(\w+)/u.exec(name)?.[1] ?? '')
    .filter((name) => name !== '');
  return modules.flatMap((name) => [`${name}.py`, join(name, '__init__.py')]);
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)];
