import picomatch from 'picomatch';
import { foldPath } from '../../domain/sensitive/name-folding.js';
import { deniedGlobs } from '../../domain/sensitive/sensitive-places.js';

/** Defence in depth, for roots that hold the system. */
const SYSTEM_DENIES = [
  '/etc/shadow*',
  '/etc/gshadow*',
  '/etc/sudoers',
  '/etc/sudoers.d/**',
  '/etc/master.passwd',
  '/private/etc/master.passwd',
  '/proc/**/mem',
  '/proc/**/environ',
] as const;

interface CompiledPattern {
  readonly text: string;
  readonly matches: (path: string) => boolean;
}

const OPTIONS = {
  dot: true,
  // Any case; and a line break in a name is a character like any other.
  flags: 'is',
  nonegate: true,
  noextglob: true,
  windows: false,
  maxLength: 65_536,
} as const;

/** Most wildcards a part of a pattern may have before matching a long name could take for ever. */
const MAX_WILDCARDS = 3;

/**
 * A workspace may bring patterns, so none may be slow: backtracking grows with each wildcard. A pattern with too many is
 * widened (it then denies more), never dropped.
 */
function boundPattern(pattern: string): string {
  const braces = pattern.split('{').length - 1;
  if (braces > MAX_WILDCARDS) {
    const folder = pattern.slice(0, pattern.indexOf('{')).lastIndexOf('/');
    return boundPattern(`${pattern.slice(0, folder + 1)}**`);
  }
  const parts = pattern.split('/').map((part) => {
    if (part === '**' || part.split('*').length - 1 <= MAX_WILDCARDS) return part;
    return `${part.slice(0, part.indexOf('*'))}*${part.slice(part.lastIndexOf('*') + 1)}`;
  });
  const first = parts.indexOf('**');
  const last = parts.lastIndexOf('**');
  const globstars = parts.filter((part) => part === '**').length;
  return (globstars > MAX_WILDCARDS ? [...parts.slice(0, first), ...parts.slice(last)] : parts).join('/');
}

const cleaned = (text: string): string =>
  boundPattern(
    text
      .normalize('NFC')
      .replace(/^\.\//, '')
      .replace(/(?<=.)\/+$/, '')
      // Regular expressions within a glob would be a way round the bound; here they are plain characters.
      .replace(/[()+|]/g, '\\$&'),
  );

/**
 * The name a path must have somewhere for a pattern to match it or a folder it is in: the last part that is not `**`.
 * Null when the pattern has none that can be told by splitting it.
 */
function decisiveName(pattern: string): string | null {
  if (/[{[\\]/.test(pattern)) return null;
  return pattern.split('/').findLast((part) => part !== '**' && part !== '') ?? null;
}

export class DeniedPatterns {
  readonly #patterns: readonly CompiledPattern[];
  /** Whether one name could be what a pattern is about. Few are, and the rest need no closer look. */
  readonly #mayMatter: (name: string) => boolean;
  readonly #roots = new Map<string, string | null>();

  constructor(patterns: readonly string[], includeDefaults: boolean) {
    const defaults = includeDefaults ? [...deniedGlobs(), ...(process.platform === 'win32' ? [] : SYSTEM_DENIES)] : [];
    const all = [...new Set([...defaults, ...patterns])].map((text) => ({ text, glob: cleaned(text) }));
    this.#patterns = all.map(({ text, glob }) => {
      const matches = picomatch(glob, OPTIONS);
      return { text, matches: (path) => matches(path) };
    });
    const names = new Set(all.map(({ glob }) => decisiveName(glob)));
    const expressions = [...names].map((name) => (name === null ? '' : picomatch.makeRe(name, OPTIONS).source));
    const anyName = new RegExp(expressions.length === 0 ? '(?!)' : expressions.join('|'), 'is');
    this.#mayMatter = (name) => anyName.test(name);
  }

  /**
   * The pattern that denies `relative` (below `root`, forward slashes) or a folder it is in; null when none does.
   * Patterns may speak of the path from the root or of the whole one.
   */
  findDenying(root: string, relative: string): string | null {
    const base = root.replaceAll('\\', '/').replace(/\/$/, '');
    const rootDenied = this.#rootDenied(base);
    if (rootDenied !== null || relative === '') return rootDenied;
    if (!this.#worthALook(relative)) return null;
    for (const prefix of prefixes(relative)) {
      const found = this.#matching(prefix) ?? this.#matching(`${base}/${prefix}`);
      if (found !== null) return found;
    }
    return null;
  }

  #rootDenied(base: string): string | null {
    let found = this.#roots.get(base);
    if (found === undefined) {
      found = this.#matching(base === '' ? '/' : base);
      this.#roots.set(base, found);
    }
    return found;
  }

  #worthALook(relative: string): boolean {
    const composed = relative.normalize('NFC');
    const folded = foldPath(relative);
    return (
      composed.split('/').some(this.#mayMatter) || (folded !== composed && folded.split('/').some(this.#mayMatter))
    );
  }

  #matching(path: string): string | null {
    const composed = path.normalize('NFC');
    const folded = foldPath(path);
    for (const pattern of this.#patterns) {
      if (pattern.matches(composed) || (folded !== composed && pattern.matches(folded))) return pattern.text;
    }
    return null;
  }
}

/** 'a/b/c' → 'a', 'a/b', 'a/b/c'. */
function prefixes(relative: string): readonly string[] {
  const found: string[] = [];
  for (let at = relative.indexOf('/'); at >= 0; at = relative.indexOf('/', at + 1)) found.push(relative.slice(0, at));
  if (relative !== '') found.push(relative);
  return found;
}
