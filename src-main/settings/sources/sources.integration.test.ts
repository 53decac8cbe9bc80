import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { ConfigStore } from '../config-store.js';
import { editSource, enableSource, removeSource, saveSources } from './edit-sources.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-sources-'));
  file = join(folder, 'config.toml');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function storeOf(text: string): ConfigStore {
  writeFileSync(file, text);
  return new ConfigStore(file);
}

const GOOD =
  '[sources.github]\nkind = "mcp"\ncommand = "npx"\nargs = ["-y", "x"]\nenv = { GITHUB_TOKEN = "secret:github" }\n';

it('takes what is right, and refuses what is wrong alone, by file, line and reason', () => {
  const store = storeOf(
    `# mine\n[tools]\nmode = "parse_only"\n${GOOD}[sources.Wrong]\nkind = "mcp"\n\n[sources.two]\nkind = "mcp"\ncommand = "a"\nurl = "https://b/mcp"\n` +
      '[sources.typed]\nkind = "openapi"\nfile = "a.json"\nnetwork = ["x"]\n',
  );
  expect(store.problem).toBeNull();
  expect(store.own.tools.mode).toBe('parse_only');
  expect(Object.keys(store.own.sources)).toEqual(['github']);
  expect(store.refusedSources.map(({ name, kind, line }) => [name, kind, line])).toEqual([
    ['Wrong', 'mcp', 9],
    ['two', 'mcp', 15],
    ['typed', 'openapi', 19],
  ]);
  expect(store.notices.map(({ title }) => title)).toEqual(
    ['Wrong', 'two', 'typed'].map((name) => `The source “${name}” can’t be used`),
  );
});

it.each([
  ['gatehouse', 'kind = "mcp"\ncommand = "x"', /app’s own name/],
  ['a_b', 'kind = "mcp"\ncommand = "x"', /name must be/],
  ['a', 'command = "x"', /^it doesn’t say what kind of source it is: add kind = "mcp" or kind = "openapi"/],
  ['a', 'kind = "grpc"', /kind must be one of/],
  ['a', 'kind = "mcp"', /needs “command” or “url”/],
  ['a', 'kind = "mcp"\nurl = "ftp://x/"', /begins with https/],
  ['a', 'kind = "mcp"\nurl = "https://me:secret@x/"', /name or password/],
  ['a', 'kind = "mcp"\nurl = "https://x/"\nargs = ["x"]', /“args” has no meaning beside “url”/],
  ['a', 'kind = "mcp"\nurl = "https://x/"\nheaders = { "X Y" = "1" }', /can’t be a name/],
  ['a', 'kind = "mcp"\nurl = "https://x/"\nheaders = { X = "a\\r\\nb" }', /line break/],
  ['a', 'kind = "mcp"\ncommand = "x"\ntimeout_seconds = 0', /timeout_seconds/],
  ['a', 'kind = "mcp"\ncommand = "x"\napprovel = "ask"', /approvel/],
  ['a', 'kind = "program"\nmanifest = "m"\ncredentials = { A = "plain" }', /secret:<name>/],
  ['a', 'kind = "langchain"', /needs “file” or “url”/],
])('refuses [sources.%s] %s', (name, settings, reason) => {
  const store = storeOf(`[sources."${name}"]\n${settings}\n`);
  expect(store.refusedSources.map((each) => each.name)).toEqual([name]);
  expect(store.refusedSources[0]?.reason).toMatch(reason);
  expect(store.own.sources).toEqual({});
});

it('takes none from a folder', () => {
  const store = storeOf('');
  const workspace = join(folder, 'work');
  rmSync(workspace, { recursive: true, force: true });
  const settings = join(workspace, '.gatehouse');
  mkdirSync(settings, { recursive: true });
  writeFileSync(join(settings, 'config.toml'), GOOD);
  store.openFolder(workspace);
  expect(store.forFolder(workspace).config.sources).toEqual({});
  expect(store.everywhere.sources).toEqual({});
  expect(store.notices.map(({ details }) => details)).toEqual([expect.stringContaining('your own file only')]);
});

it('writes, turns off, replaces and removes one, and leaves everything else as it stands', async () => {
  const before = `# mine\n[tools]\nmode = "enabled" # on\n\n# about GitHub\n${GOOD}`;
  const store = storeOf(before);
  expect(await saveSources(store, [{ name: 'docs', settings: { kind: 'openapi', file: 'docs.json' } }])).toEqual({
    ok: true,
  });
  expect(readFileSync(file, 'utf8')).toContain(before);
  expect(store.own.sources['docs']).toEqual({ kind: 'openapi', file: 'docs.json' });
  expect(await enableSource(store, 'docs', false)).toEqual({ ok: true });
  expect(store.own.sources['docs']).toMatchObject({ enabled: false });
  expect(
    await saveSources(store, [{ name: 'docs', settings: { kind: 'mcp', command: 'x', env: { A: 'secret:a' } } }]),
  ).toEqual({ ok: true });
  expect(store.own.sources['docs']).toEqual({ kind: 'mcp', command: 'x', env: { A: 'secret:a' } });
  const standing = readFileSync(file, 'utf8');
  const removed = await removeSource(store, 'docs');
  expect(store.own.sources).toEqual({ github: expect.anything() });
  expect(readFileSync(file, 'utf8')).toContain('# about GitHub');
  expect(removed.ok && (await removed.restore())).toEqual({ ok: true });
  expect(readFileSync(file, 'utf8')).toBe(standing);
  expect(await removeSource(store, 'none')).toMatchObject({ ok: false });
  expect(await enableSource(store, 'none', true)).toMatchObject({ ok: false });
  expect(await saveSources(store, [{ name: 'gatehouse', settings: { kind: 'mcp', command: 'x' } }])).toMatchObject({
    ok: false,
  });
});

it('removes the only one, and one that could not be taken', async () => {
  const store = storeOf(GOOD);
  expect(await removeSource(store, 'github')).toMatchObject({ ok: true });
  expect(readFileSync(file, 'utf8').trim()).toBe('');
  const other = storeOf('[sources.broken]\nkind = "none"\n[sources.broken.env]\nA = "b"\n[tools]\nmode = "disabled"\n');
  expect(await removeSource(other, 'broken')).toMatchObject({ ok: true });
  expect(other.refusedSources).toEqual([]);
  expect(other.own.tools.mode).toBe('disabled');
});

it('edits one key by key: what is the same keeps its place and its comments', async () => {
  const before = [
    '# mine',
    '[sources.github] # the one at work',
    'kind = "mcp"',
    'command = "npx" # by npm',
    'args = ["-y", "x"]',
    '# slow on Mondays',
    'timeout_seconds = 90',
    'network = ["api.github.com"]',
    '',
    '[sources.github.env]',
    '# made in May',
    'GITHUB_TOKEN = "secret:github"',
    'LEVEL = "1" # chatty',
    '',
    '[tools]',
    'mode = "enabled" # on',
    '',
  ].join('\n');
  const store = storeOf(before);
  const was = { ...store.own.sources['github'] } as SourceSettings;
  const { network: _, ...rest } = was;
  const settings = { ...rest, args: ['-y', 'y'], env: { GITHUB_TOKEN: 'secret:other', LEVEL: '1', MORE: 'x' } };
  expect(await editSource(store, { name: 'github', was, settings })).toEqual({ ok: true });
  expect(store.own.sources['github']).toEqual(settings);
  const after = readFileSync(file, 'utf8');
  expect(after.replace('MORE = "x"\n', '')).toBe(
    before
      .replace('"-y", "x"', '"-y", "y"')
      .replace('network = ["api.github.com"]\n', '')
      .replace('secret:github', 'secret:other'),
  );
  // Somebody else was faster; a wrong one; one that is not there.
  for (const [name, change] of [
    ['github', { was, settings }],
    ['github', { was: settings, settings: { ...settings, url: 'https://x/' } }],
    ['none', { was: settings, settings }],
  ] as const)
    expect(await editSource(store, { name, ...change })).toMatchObject({ ok: false });
  expect(readFileSync(file, 'utf8')).toBe(after);
});
