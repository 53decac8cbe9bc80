import { canonicalHost } from '../../../policy/allowed-hosts.js';
import { parseHost } from './addresses.js';

/** The meaning of a Git address, read as Git reads it. */
export type GitAddress =
  /** Null where it can’t be told which: a helper (`ext::…`), a name that is none. */
  | { readonly kind: 'host'; readonly host: string | null }
  /** A path on this machine; `isBelow` where it can lead nowhere but into the folder that it is read in. */
  | { readonly kind: 'path'; readonly isBelow: boolean };

export function parseGitAddress(text: string): GitAddress {
  if (/^[A-Za-z0-9]+::/u.test(text)) return { kind: 'host', host: null };
  if (/^[A-Za-z0-9][A-Za-z0-9+.-]*:\/\//u.test(text))
    return /^file:/iu.test(text) ? { kind: 'path', isBelow: false } : { kind: 'host', host: parseHost(text) };
  // A colon before any slash: a host as ssh knows it, with a user and a port or without, and by its alias too.
  const [, short] = /^((?:[^/:[]*@)?\[[^\]]*\]|[^/:]+):/u.exec(text) ?? [];
  if (short === undefined) return { kind: 'path', isBelow: !/^[/~]|(?:^|\/)\.\.(?:\/|$)/u.test(text) };
  const bare = short.replace(/^.*@(?=[^@]*$)/u, '').replace(/^\[(.*)\]$/u, '$1');
  const isNumber = bare.split(':').length > 2;
  return { kind: 'host', host: canonicalHost(isNumber ? `[${bare}]` : bare.replace(/:\d+$/u, '')) };
}
