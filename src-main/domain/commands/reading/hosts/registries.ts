import { parseHost, findHosts } from './addresses.js';
import {
  readHere,
  readNearest,
  type WorkingDirectory,
  type FileSetting,
  parseSettings,
  listUpwards,
} from './settings-files.js';

/** Hosts in the order in which they were found; null stands for one that can’t be told. */
type Hosts = readonly (string | null)[];

export const NPM = 'registry.npmjs.org';
const YARN = 'registry.yarnpkg.com';
export const PYPI = ['pypi.org', 'files.pythonhosted.org'] as const;
const CRATES = ['index.crates.io', 'static.crates.io', 'crates.io'];
const GO = ['proxy.golang.org', 'sum.golang.org'];
const GEMS = ['rubygems.org', 'index.rubygems.org'];
const PACKAGIST = ['repo.packagist.org', 'packagist.org', 'api.github.com'];

/** Where package managers fetch from: by their settings in the folder, and by what they do without any. */
export const REGISTRIES: Readonly<Record<string, (place: WorkingDirectory, more: string) => Hosts>> = {
  npm: (place, more) => (more === 'publish' ? publishes(place) : null) ?? npmOf(place, NPM),
  yarn: (place, more) => (more === 'publish' ? publishes(place) : null) ?? yarnOf(place),
  bun: (place, more) => (more === 'publish' ? publishes(place) : null) ?? bunOf(place),
  pip,
  pipenv: (place) =>
    urls(
      settingsOf(readNearest(place, 'Pipfile')).filter(({ section, key }) => section === 'source' && key === 'url'),
    ) ?? PYPI,
  cargo,
  go,
  gem: (place) => [
    ...(gemSources(place.folder.text('~/.gemrc'), /^\s*-\s*(https?:\S+)/gmu) ?? []),
    ...(gemSources(readNearest(place, 'Gemfile'), /^\s*source\s*\(?\s*["'](https?:[^"']+)/gmu) ?? GEMS),
    ...findHosts([...(readNearest(place, 'Gemfile') ?? '').matchAll(/\bgit:?\s*(?:=>)?\s*["'][^"']+/gu)].join(' ')),
    ...(gemSources(readNearest(place, '.bundle/config'), /^\s*BUNDLE_MIRROR\w*:\s*["']?(https?:[^"'\s]+)/gmu) ?? []),
  ],
  composer,
  conda: () => ['conda.anaconda.org', 'repo.anaconda.com'],
  nuget,
  hex: () => ['repo.hex.pm', 'hex.pm'],
  rustup: () => ['static.rust-lang.org'],
};

const settingsOf = (text: string | null): readonly FileSetting[] => (text === null ? [] : parseSettings(text));
const urls = (settings: readonly FileSetting[]): Hosts | null =>
  settings.length === 0 ? null : settings.map(({ value }) => parseHost(value));

/**
 * Chooses between settings: the folder's are meant; the person’s own are obeyed only by a command that can see them.
 */
const preferOwn = (own: Hosts | null, persons: Hosts | null, usual: Hosts): Hosts =>
  own ?? [...(persons ?? []), ...usual];

function npmrc(place: WorkingDirectory): {
  readonly registry: Hosts | null;
  readonly persons: Hosts | null;
  readonly scopes: Hosts;
} {
  const own = listUpwards(place, '.npmrc').map(parseSettings);
  const persons = settingsOf(place.folder.text('~/.npmrc'));
  const registry = (settings: readonly FileSetting[]): Hosts | null =>
    urls(settings.filter(({ key }) => key === 'registry').slice(-1));
  return {
    registry: own.map(registry).find((found) => found !== null) ?? null,
    persons: registry(persons),
    scopes: urls([...own.flat(), ...persons].filter(({ key }) => /^@[\w.-]+:registry$/u.test(key))) ?? [],
  };
}

function npmOf(place: WorkingDirectory, usual: string): Hosts {
  const { registry, persons, scopes } = npmrc(place);
  return [...preferOwn(registry, persons, [usual]), ...scopes];
}

const YARN_SERVER = /^(\s*)npmRegistryServer:\s*["']?([^"'\s]+)/gmu;

function yarnOf(place: WorkingDirectory): Hosts {
  const servers = (text: string | null) =>
    [...(text ?? '').matchAll(YARN_SERVER)].map(([, indent = '', url = '']) => ({
      scope: indent !== '',
      host: parseHost(url),
    }));
  const own = servers(readNearest(place, '.yarnrc.yml'));
  const persons = servers(place.folder.text('~/.yarnrc.yml'));
  const old = [...(readNearest(place, '.yarnrc') ?? '').matchAll(/^\s*registry\s+["']?([^"'\s]+)/gmu)].map(
    ([, url = '']) => parseHost(url),
  );
  const npm = npmrc(place);
  const named = own.filter(({ scope }) => !scope).map(({ host }) => host);
  const registry = named.length > 0 ? named : old.length > 0 ? old : npm.registry;
  const home = [...persons.map(({ host }) => host), ...(npm.persons ?? [])];
  return [
    ...preferOwn(registry, home, [YARN]),
    ...own.filter(({ scope }) => scope).map(({ host }) => host),
    ...npm.scopes,
  ];
}

function bunOf(place: WorkingDirectory): Hosts {
  const settings = settingsOf(readNearest(place, 'bunfig.toml')).filter(({ section }) => /^install\b/u.test(section));
  const named = urls(settings.filter(({ section, key }) => section === 'install' && key === 'registry'));
  const scoped = urls(settings.filter(({ section, key }) => section === 'install.scopes' || key === 'url')) ?? [];
  return [...(named ?? npmOf(place, NPM)), ...scoped];
}

/** A package may say itself where it is published. */
function publishes(place: WorkingDirectory): Hosts | null {
  const [, url] =
    /"publishConfig"\s*:\s*\{[^}]*"registry"\s*:\s*"([^"]+)"/u.exec(readNearest(place, 'package.json') ?? '') ?? [];
  return url === undefined ? null : [parseHost(url)];
}

function pip(place: WorkingDirectory, requirements: string): Hosts {
  const inis = ['.venv/pip.conf', 'venv/pip.conf'].map((name) => settingsOf(readHere(place, name)));
  const persons = ['~/.config/pip/pip.conf', '~/.pip/pip.conf'].map((name) => settingsOf(place.folder.text(name)));
  const uv = [
    ...settingsOf(readNearest(place, 'uv.toml')).map((each) => ({ ...each, section: `tool.uv.${each.section}` })),
    ...settingsOf(readNearest(place, 'pyproject.toml')).filter(({ section }) =>
      /^tool\.(?:uv|poetry|pdm)\b/u.test(section),
    ),
  ];
  const listed = requirements === '' ? '' : (readHere(place, requirements) ?? '');
  const asked = [...listed.matchAll(/^\s*(?:-i|--index-url)[\s=]+(\S+)/gmu)].map(([, url = '']) => parseHost(url));
  const indexes = (settings: readonly FileSetting[], name: RegExp): readonly FileSetting[] =>
    settings.filter(({ key, value }) => name.test(key) && value !== '');
  const own = [...inis.flat(), ...uv];
  const index = asked.length > 0 ? asked : urls(indexes(own, /^index[-_]url$/u));
  const more = indexes(own, /^(?:extra[-_]index[-_]url|find[-_]links)$/u);
  const sources = uv.filter(({ section, key }) => /\.(?:index|source)$/u.test(section) && key === 'url');
  return [
    ...preferOwn(index, urls(indexes(persons.flat(), /^index[-_]url$/u)), PYPI),
    ...(urls([...more, ...sources, ...indexes(persons.flat(), /^extra[-_]index[-_]url$/u)]) ?? []),
    ...findHosts(listed.replaceAll(/^\s*(?:#|-i\b|--index-url).*$/gmu, '')),
  ];
}

function cargo(place: WorkingDirectory): Hosts {
  const own = ['.cargo/config.toml', '.cargo/config']
    .flatMap((name) => listUpwards(place, name))
    .flatMap(parseSettings);
  const settings = [...own, ...settingsOf(place.folder.text('~/.cargo/config.toml'))];
  const valueOf = (section: string, key: string): string | undefined =>
    settings.find((each) => each.section === section && each.key === key)?.value;
  let source = 'crates-io';
  for (let steps = 0; steps < 8; steps += 1) source = valueOf(`source.${source}`, 'replace-with') ?? source;
  const replaced = valueOf(`source.${source}`, 'registry') ?? valueOf(`source.${source}`, 'git');
  const isLocal = valueOf(`source.${source}`, 'directory') ?? valueOf(`source.${source}`, 'local-registry');
  const from = replaced === undefined ? (isLocal === undefined ? CRATES : []) : [parseHost(replaced)];
  const others = settings.filter(({ section, key }) => section.startsWith('registries.') && key === 'index');
  const git = [...(readNearest(place, 'Cargo.toml') ?? '').matchAll(/\bgit\s*=\s*"([^"]+)"/gu)].map(([, url = '']) =>
    parseHost(url),
  );
  return [...from, ...(urls(others) ?? []), ...git];
}

/** Hosts of Go by the person’s `go env -w`; which hosts it asks directly hangs on the modules. */
function go({ folder }: WorkingDirectory): Hosts {
  const settings = settingsOf(folder.text('~/.config/go/env'));
  const proxies = settings.find(({ key }) => key === 'GOPROXY')?.value.split(/[,|]/u) ?? [];
  return [...proxies.map((url) => (url === 'off' ? null : parseHost(url))).filter((host) => host !== null), ...GO];
}

const gemSources = (text: string | null, line: RegExp): Hosts | null => {
  const named = [...(text ?? '').matchAll(line)].map(([, url = '']) => parseHost(url));
  return named.length === 0 ? null : named;
};

function composer(place: WorkingDirectory): Hosts {
  const text = readNearest(place, 'composer.json') ?? '';
  const [, repositories = ''] = /"repositories"\s*:\s*([[{][\s\S]*?[\]}]\s*[,}])/u.exec(text) ?? [];
  const named = [...repositories.matchAll(/"url"\s*:\s*"([^"]+)"/gu)].map(([, url = '']) => parseHost(url));
  return [
    ...(/"packagist(?:\.org)?"\s*:\s*false/u.test(text) ? [] : PACKAGIST),
    ...named.filter((host) => host !== null),
  ];
}

function nuget(place: WorkingDirectory): Hosts {
  const text = ['nuget.config', 'NuGet.Config', 'NuGet.config']
    .flatMap((name) => readNearest(place, name) ?? [])
    .join('\n');
  const named = [...text.matchAll(/<add\s[^>]*\bvalue\s*=\s*"(https?:[^"]+)"/giu)].map(([, url = '']) =>
    parseHost(url),
  );
  return [...named, ...(/<clear\s*\/>/iu.test(text) && named.length > 0 ? [] : ['api.nuget.org'])];
}
