import { type GitSetting, parseGitConfig } from '../../../sensitive/git-config.js';
import { parseGitAddress } from './git-address.js';
import { readHere, readNearest, type WorkingDirectory } from './settings-files.js';

/** The work of Git with a remote: it may push to another than it fetches from. `address`: what stands there is one. */
export type RemoteWork = 'fetch' | 'push' | 'all' | 'submodules' | 'address';

/** The hosts of a remote by its name or address, ''  being the usual one; null where they can’t be told. */
export function findRemoteHosts(work: RemoteWork, name: string, place: WorkingDirectory): readonly string[] | null {
  const own = settingsOf(readNearest(place, '.git/config'));
  const persons = ['~/.gitconfig', '~/.config/git/config'].flatMap((file) => settingsOf(place.folder.text(file)) ?? []);
  const rewritten = (url: string): string => rewrittenBy([...(own ?? []), ...persons], url, work === 'push');
  if (work === 'address') return findAll([rewritten(name)]);
  // What looks like an address is one, but where a remote is called so.
  const isNamed = own !== null && remotesIn(own).includes(name);
  if (!isNamed && name !== '' && /[/:]/u.test(name)) return findAll([rewritten(name)]);
  if (own === null) return null;
  const urlsOf = (remote: string): readonly string[] => addressesOf(own, remote, work === 'push').map(rewritten);
  switch (work) {
    case 'submodules':
      return submoduleHosts(own, place, rewritten);
    case 'all':
      return findAll(remotesIn(own).flatMap(urlsOf));
    case 'fetch':
    case 'push': {
      const remote = name === '' ? usualRemote(own, place, work === 'push') : name;
      // A name that is no remote may be an address that settings make of it: `gh:a/b`.
      const found = urlsOf(remote);
      return found.length === 0 && rewritten(remote) === remote
        ? null
        : findAll(found.length === 0 ? [rewritten(remote)] : found);
    }
  }
}

const settingsOf = (text: string | null): readonly GitSetting[] | null => (text === null ? null : parseGitConfig(text));

/** Null where there is none, or one that can’t be told, or that lies elsewhere on this machine. */
function findAll(addresses: readonly string[]): readonly string[] | null {
  if (addresses.length === 0) return null;
  const hosts = new Set<string>();
  for (const address of addresses.map(parseGitAddress)) {
    if (address.kind === 'path' ? !address.isBelow : address.host === null) return null;
    if (address.kind === 'host' && address.host !== null) hosts.add(address.host);
  }
  return [...hosts];
}

const valuesOf = (
  settings: readonly GitSetting[],
  section: string,
  sub: string | null,
  name: string,
): readonly string[] =>
  settings.flatMap((each) =>
    each.section === section && each.sub === sub && each.name === name && each.value !== null ? [each.value] : [],
  );

const remotesIn = (settings: readonly GitSetting[]): readonly string[] => [
  ...new Set(settings.flatMap(({ section, sub }) => (section === 'remote' && sub !== null ? [sub] : []))),
];

function addressesOf(settings: readonly GitSetting[], remote: string, pushes: boolean): readonly string[] {
  const toPush = pushes ? valuesOf(settings, 'remote', remote, 'pushurl') : [];
  return toPush.length > 0 ? toPush : valuesOf(settings, 'remote', remote, 'url');
}

function usualRemote(settings: readonly GitSetting[], place: WorkingDirectory, pushes: boolean): string {
  const [, branch = ''] = /^ref: refs\/heads\/(.+?)\s*$/u.exec(readNearest(place, '.git/HEAD') ?? '') ?? [];
  const [own] = valuesOf(settings, 'branch', branch, 'pushremote');
  const [anywhere] = valuesOf(settings, 'remote', null, 'pushdefault');
  const [remote] = valuesOf(settings, 'branch', branch, 'remote');
  const [only, ...more] = remotesIn(settings);
  const usual = remote ?? (more.length === 0 ? (only ?? 'origin') : 'origin');
  return pushes ? (own ?? anywhere ?? usual) : usual;
}

/** The longest beginning that is to be written otherwise counts. */
function rewrittenBy(settings: readonly GitSetting[], url: string, pushes: boolean): string {
  const rules = (name: string) =>
    settings
      .flatMap(({ section, sub, value, ...each }) =>
        section === 'url' && sub !== null && each.name === name && value !== null && url.startsWith(value)
          ? [{ to: sub, from: value }]
          : [],
      )
      .toSorted((one, other) => other.from.length - one.from.length);
  const [rule] = [...(pushes ? rules('pushinsteadof') : []), ...rules('insteadof')];
  return rule === undefined ? url : rule.to + url.slice(rule.from.length);
}

function submoduleHosts(
  own: readonly GitSetting[],
  place: WorkingDirectory,
  rewritten: (url: string) => string,
): readonly string[] | null {
  const listed = settingsOf(readHere(place, '.gitmodules')) ?? settingsOf(readNearest(place, '.gitmodules'));
  if (listed === null) return null;
  const addresses = listed.flatMap(({ section, name, value }) =>
    section === 'submodule' && name === 'url' && value !== null ? [value] : [],
  );
  const [origin = ''] = addressesOf(own, usualRemote(own, place, false), false);
  return findAll(addresses.map((url) => rewritten(/^\.{1,2}\//u.test(url) ? origin : url)));
}
