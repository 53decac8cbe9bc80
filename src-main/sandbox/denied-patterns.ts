import picomatch from 'picomatch';
import { foldPath } from './name-folding.js';

/** FR-VAL-05, and the other files that hold nothing but credentials. */
const DEFAULT_DENIES = [
  '**/.ssh/**',
  '**/.gnupg/**',
  '**/id_rsa*',
  '**/id_dsa*',
  '**/id_ecdsa*',
  '**/id_ed25519*',
  '**/*.pem',
  '**/*.key',
  '**/.netrc',
  '**/.git-credentials',
  '**/.pgpass',
  '**/.aws/credentials',
  '**/.kube/config',
  '**/.docker/config.json',
] as const;

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

/** Most wildcards a part of a pattern may have before matching a long name could take for ever. */
const MAX_WILDCARDS = 3;

/**
 * A workspace may bring patterns, so none may be slow: backtracking grows with each wildcard. A pattern with too many is
 * widened (it then denies more), never dropped.
 */
function bounded(pattern: string): string {
  const braces = pattern.split('{').length - 1;
  if (braces > MAX_WILDCARDS) {
    const folder = pattern.slice(0, pattern.indexOf('{')).lastIndexOf('/');
    return bounded(`${pattern.slice(0, folder + 1)}**`);
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

function compile(text: string): CompiledPattern {
  const cleaned = text
    .normalize('NFC')
    .replace(/^\.\//, '')
    .replace(/(?<=.)\/+$/, '')
    // Regular expressions within a glob would be a way round the bound; here they are plain characters.
    .replace(/[()+|]/g, '\\$&');
  const matches = picomatch(bounded(cleaned), {
    dot: true,
    // Any case; and a line break in a name is a character like any other.
    flags: 'is',
    nonegate: true,
    noextglob: true,
    windows: false,
    maxLength: 65_536,
  });
  return { text, matches: (path) => matches(path) };
}

export class DeniedPatterns {
  readonly #patterns: readonly CompiledPattern[];

  constructor(patterns: readonly string[], includeDefaults: boolean) {
    const defaults = includeDefaults ? [...DEFAULT_DENIES, ...(process.platform === 'win32' ? [] : SYSTEM_DENIES)] : [];
    this.#patterns = [...new Set([...defaults, ...patterns])].map(compile);
  }

  /**
   * The pattern that denies `relative` (below `root`, forward slashes) or a folder it is in; null when none does.
   * Patterns may speak of the path from the root or of the whole one.
   */
  denying(root: string, relative: string): string | null {
    const base = root.replaceAll('\\', '/').replace(/\/$/, '');
    const candidates = [`${base}/`, ...prefixes(relative).flatMap((prefix) => [prefix, `${base}/${prefix}`])];
    for (const candidate of candidates) {
      const found = this.#matching(candidate.length > 1 ? candidate.replace(/\/$/, '') : candidate);
      if (found !== null) return found;
    }
    return null;
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
