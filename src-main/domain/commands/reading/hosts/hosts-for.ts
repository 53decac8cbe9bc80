import { canonicalHost } from '../../../policy/allowed-hosts.js';
import { hostNamed, hostOf } from './addresses.js';
import { REGISTRIES } from './registries.js';
import { remoteHosts, type RemoteWork } from './remotes.js';
import type { Place } from './settings-files.js';

/**
 * Resolves a need of the table of programs to hosts, where a command runs: `npm`, `git push origin`, `host
 * example.com`, or a name in full. `null` where the hosts can’t be told.
 */
export function hostsFor(need: string, place: Place): readonly string[] | null {
  const [what = '', ...words] = need.split(' ');
  const name = words.join(' ');
  if (what === '?') return null;
  if (what === 'host') {
    const host = hostOf(name) ?? hostNamed(name);
    return host === null ? null : [host];
  }
  if (what === 'git') {
    const [work = '', ...remote] = words;
    return remoteHosts(work as RemoteWork, remote.join(' '), place);
  }
  if (Object.hasOwn(REGISTRIES, what)) {
    const found = REGISTRIES[what]?.(place, name) ?? [];
    const known = found.filter((host) => host !== null);
    return known.length < found.length ? null : [...new Set(known)];
  }
  return canonicalHost(what) === null ? null : [what];
}
