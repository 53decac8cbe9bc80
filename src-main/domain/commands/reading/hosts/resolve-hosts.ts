import { canonicalHost } from '../../../policy/allowed-hosts.js';
import { parseHostName, parseHost } from './addresses.js';
import { REGISTRIES } from './registries.js';
import { findRemoteHosts, type RemoteWork } from './remote-hosts.js';
import type { WorkingDirectory } from './settings-files.js';

/**
 * Resolves a need of the table of programs to hosts, where a command runs: `npm`, `git push origin`, `host
 * example.com`, or a name in full. `null` where the hosts can’t be told.
 */
export function resolveHosts(need: string, place: WorkingDirectory): readonly string[] | null {
  const [what = '', ...words] = need.split(' ');
  const name = words.join(' ');
  if (what === '?') return null;
  if (what === 'host') {
    const host = parseHost(name) ?? parseHostName(name);
    return host === null ? null : [host];
  }
  if (what === 'git') {
    const [work = '', ...remote] = words;
    return findRemoteHosts(work as RemoteWork, remote.join(' '), place);
  }
  if (Object.hasOwn(REGISTRIES, what)) {
    const found = REGISTRIES[what]?.(place, name) ?? [];
    const known = found.filter((host) => host !== null);
    return known.length < found.length ? null : [...new Set(known)];
  }
  return canonicalHost(what) === null ? null : [what];
}
