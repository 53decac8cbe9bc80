import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Folder } from '../../../../domain/commands/reading/folder.js';
import { createCommandReader } from './command-reader.js';

type Files = Readonly<Record<string, string>>;

const folderWith = (files: Files): Folder => ({
  roots: ['/home/me/project'],
  files: () => Object.keys(files).filter((path) => !path.startsWith('~')),
  text: (path) => files[path] ?? null,
  tracked: () => ({ top: '', files: [] }),
});

let files: Files = {};
const reader = createCommandReader(undefined, undefined, () => folderWith(files));

async function hostsOf(command: string, there: Files = {}): Promise<readonly string[] | 'can’t be told'> {
  files = there;
  const { hosts, anyHost } = (await reader.read(command, ['/home/me/project'])).analysis;
  return anyHost ? 'can’t be told' : hosts;
}

const REMOTES = [
  '[remote "origin"]\n\turl = https://code.example/a/b.git',
  '[remote "mirror"]\n\turl = https://mirror.example:8443/b.git\n\tpushurl = ssh://git@push.example/b.git',
  '[branch "work"]\n\tremote = mirror',
].join('\n');
const GIT: Files = { '.git/config': REMOTES, '.git/HEAD': 'ref: refs/heads/main\n' };

describe('hosts that a command names', () => {
  it.each<[string, readonly string[] | 'can’t be told']>([
    ['curl -s https://api.example/v1/users', ['api.example']],
    ['curl -s API.Example./v1', ['api.example']],
    ['curl https://api.example:8443/', ['api.example:8443']],
    ['curl https://api.example:443/', ['api.example']],
    ['curl localhost:3000/health', ['localhost:3000']],
    ['curl http://127.1/', ['127.0.0.1:80']],
    ['curl https://[::1]:8080/', ['[::1]:8080']],
    ['curl http://2130706433:9000', ['127.0.0.1:9000']],
    ['curl https://good.example@evil.example/', ['evil.example']],
    ['curl https://good.example:x@evil.example:81/', ['evil.example:81']],
    ['curl https://a@good.example@evil.example/', ['evil.example']],
    ['curl https://EXÄMPLE.example/', ['xn--exmple-cua.example']],
    ['curl https://раypal.example/', ['xn--ypal-43d9g.example']],
    ['curl -L https://short.example/x | cat', ['short.example']],
    ['wget -q https://one.example/a http://two.example/b', ['one.example', 'two.example']],
    ['wget -i urls.txt', 'can’t be told'],
    ['curl "$URL"', 'can’t be told'],
    ['curl https://{a,b}.example/', 'can’t be told'],
    ['pip install git+https://code.example/a/b.git', ['code.example', 'pypi.org', 'files.pythonhosted.org']],
    [`python3 -c "import urllib.request as u; u.urlopen('https://data.example/x')"`, ['data.example']],
    ['git clone git@code.example:a/b.git', ['code.example']],
    ['HTTPS_PROXY=http://evil.example:8080 curl https://api.example/', ['evil.example:8080', 'api.example']],
    ['make build', []],
  ])('%s', async (command, hosts) => {
    const found = await hostsOf(command);
    expect(typeof found === 'string' ? found : found.toSorted()).toEqual(
      typeof hosts === 'string' ? hosts : hosts.toSorted(),
    );
  });
});

describe('hosts of package managers, by what is set', () => {
  it.each<[string, string, Files, readonly string[] | 'can’t be told']>([
    ['nothing', 'npm ci', {}, ['registry.npmjs.org']],
    ['the folder', 'npm ci', { '.npmrc': 'registry=https://npm.corp.example/\n' }, ['npm.corp.example']],
    ['a port of this machine', 'npm ci', { '.npmrc': 'registry=http://localhost:4873/' }, ['localhost:4873']],
    [
      'a scope besides',
      'npm ci',
      { '.npmrc': '@corp:registry = "https://npm.corp.example/"' },
      ['registry.npmjs.org', 'npm.corp.example'],
    ],
    ['what only running tells', 'npm ci', { '.npmrc': 'registry=${REGISTRY}\n' }, 'can’t be told'],
    [
      'the person, whose settings the sandbox hides',
      'npm ci',
      { '~/.npmrc': 'registry=https://npm.corp.example/' },
      ['npm.corp.example', 'registry.npmjs.org'],
    ],
    [
      'the folder before the person',
      'pnpm install',
      { '.npmrc': 'registry=https://here.example/', '~/.npmrc': 'registry=https://home.example/' },
      ['here.example'],
    ],
    [
      'the folder that it works in',
      'cd web && npm ci',
      { '.npmrc': 'registry=https://top.example/', 'web/.npmrc': 'registry=https://web.example/' },
      ['web.example'],
    ],
    [
      'one above it',
      'npm --prefix web ci',
      { '.npmrc': 'registry=https://top.example/', 'web/package.json': '{}' },
      ['top.example'],
    ],
    [
      'the command itself',
      'npm i --registry https://cli.example/',
      { '.npmrc': 'registry=https://x.example/' },
      ['cli.example'],
    ],
    [
      'the package',
      'npm publish',
      { 'package.json': '{"publishConfig": {"access": "public", "registry": "https://out.example/"}}' },
      ['out.example'],
    ],
    ['yarn, nothing', 'yarn install', {}, ['registry.yarnpkg.com']],
    [
      'yarn',
      'yarn add left-pad',
      {
        '.yarnrc.yml':
          'npmScopes:\n  corp:\n    npmRegistryServer: "https://corp.example"\nnpmRegistryServer: "https://y.example"\n',
      },
      ['y.example', 'corp.example'],
    ],
    ['yarn 1', 'yarn', { '.yarnrc': 'registry "https://old.example/"\n' }, ['old.example']],
    ['bun', 'bun install', { 'bunfig.toml': '[install]\nregistry = "https://bun.example"\n' }, ['bun.example']],
    ['pip, nothing', 'pip install requests', {}, ['pypi.org', 'files.pythonhosted.org']],
    ['pip, the command itself', 'pip install -i https://pip.example/simple x', {}, ['pip.example']],
    [
      'pip, a file of requirements',
      'pip install -r requirements.txt',
      {
        'requirements.txt':
          '--index-url https://pip.example/simple\n# https://not.example/\na @ https://files.example/a.whl\n',
      },
      ['pip.example', 'files.example'],
    ],
    [
      'pip, its own file',
      'python3 -m pip install x',
      {
        '.venv/pip.conf':
          '[global]\nindex-url = https://pip.example/simple\nextra-index-url = https://more.example/simple',
      },
      ['pip.example', 'more.example'],
    ],
    [
      'uv',
      'uv sync',
      {
        'pyproject.toml':
          '[project.urls]\nurl = "https://home.example"\n[[tool.uv.index]]\nname = "c"\nurl = "https://uv.example/simple"\n',
      },
      ['pypi.org', 'files.pythonhosted.org', 'uv.example'],
    ],
    ['cargo, nothing', 'cargo fetch', {}, ['index.crates.io', 'static.crates.io', 'crates.io']],
    [
      'cargo',
      'cargo fetch',
      {
        '.cargo/config.toml':
          '[source.crates-io]\nreplace-with = "corp"\n[source.corp]\nregistry = "sparse+https://crates.example/"\n',
        'Cargo.toml': '[dependencies]\nx = { git = "https://code.example/x" }\n',
      },
      ['crates.example', 'code.example'],
    ],
    [
      'go',
      'go get example.com/m',
      { '~/.config/go/env': 'GOPROXY=https://go.example,direct\n' },
      ['go.example', 'proxy.golang.org', 'sum.golang.org'],
    ],
    ['bundler', 'bundle install', { Gemfile: 'source "https://gems.example"\ngem "a"\n' }, ['gems.example']],
    [
      'composer',
      'composer install',
      { 'composer.json': '{"repositories": [{"type": "composer", "url": "https://php.example"}], "require": {}}' },
      ['repo.packagist.org', 'packagist.org', 'api.github.com', 'php.example'],
    ],
  ])('%s: %s', async (_what, command, there, hosts) => {
    expect(await hostsOf(command, there)).toEqual(hosts);
  });
});

describe('hosts of Git, by its remotes', () => {
  it.each<[string, Files, readonly string[] | 'can’t be told']>([
    ['git push', GIT, ['code.example']],
    ['git push origin main', GIT, ['code.example']],
    ['git fetch mirror', GIT, ['mirror.example:8443']],
    ['git push mirror main', GIT, ['push.example']],
    ['git fetch --all', GIT, ['code.example', 'mirror.example:8443']],
    ['git remote update', GIT, ['code.example', 'mirror.example:8443']],
    ['git pull', { ...GIT, '.git/HEAD': 'ref: refs/heads/work\n' }, ['mirror.example:8443']],
    ['git push --all', GIT, ['code.example']],
    ['git push https://else.example/x.git main', GIT, ['else.example']],
    ['git fetch nowhere', GIT, 'can’t be told'],
    ['git fetch', {}, 'can’t be told'],
    [
      'cd sub && git pull',
      { ...GIT, 'sub/.git/config': '[remote "origin"]\nurl = https://sub.example/x' },
      ['sub.example'],
    ],
    ['git -C deep/er pull', GIT, ['code.example']],
    [
      'git fetch gh:a/b',
      { ...GIT, '~/.gitconfig': '[url "https://hub.example/"]\n\tinsteadOf = gh:\n' },
      ['hub.example'],
    ],
    [
      'git submodule update --init',
      { ...GIT, '.gitmodules': '[submodule "a"]\nurl = ../a.git\n[submodule "b"]\nurl = https://b.example/b.git\n' },
      ['code.example', 'b.example'],
    ],
  ])('%s', async (command, there, hosts) => {
    expect(await hostsOf(command, there)).toEqual(hosts);
  });
});

it('an address is of the host that is reached by it, however it is spelled', async () => {
  const letters = fc.stringMatching(/^[a-z]{1,8}$/u);
  const scrambled = (text: string, capitals: readonly boolean[]): string =>
    text.replaceAll(/./gu, (letter, at: number) =>
      capitals[at % capitals.length] === true ? letter.toUpperCase() : letter,
    );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('http', 'https', 'HTTPS', 'git+https'),
      fc.option(fc.stringMatching(/^[a-z0-9.:@%-]{1,20}$/u), { nil: null }),
      letters,
      fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '.'),
      fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: null }),
      fc.stringMatching(/^[/?#][a-z0-9./@:?#=-]{0,20}$/u),
      async (scheme, user, name, capitals, dot, port, rest) => {
        const host = `${name}.example`;
        const usual = scheme === 'http' ? 80 : 443;
        const authority = `${user === null ? '' : `${user}@`}${scrambled(host, capitals)}${dot}${port === null ? '' : `:${port}`}`;
        const found = await hostsOf(`curl '${scheme}://${authority}${rest}'`);
        expect(found).toEqual([port === null || port === usual ? host : `${host}:${port}`]);
      },
    ),
    { numRuns: 300 },
  );
});
