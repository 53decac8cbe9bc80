import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENT_IDS, type ClientId } from '#contract/window/clients.js';
import { all, inHome, launch, none, write } from './clients.test-support.js';

/** Where each client has settings of one folder: its file there, and what of it Git shares. */
const FILES = {
  'claude-code': ['.claude.json', 'shop/.claude/settings.local.json'],
  codex: ['shop/.codex/config.toml'],
  'gemini-cli': ['shop/.gemini/settings.json'],
  'qwen-code': ['shop/.qwen/settings.json'],
  opencode: ['shop/opencode.json'],
  cursor: ['shop/.cursor/mcp.json'],
  vscode: ['shop/.vscode/mcp.json'],
} satisfies Partial<Record<ClientId, readonly string[]>>;

describe.each(Object.keys(FILES) as (keyof typeof FILES)[])('%s, in one folder', (id) => {
  it('is connected there alone, in files that are named with what Git shares, and taken out again', async () => {
    const { home, clients, read } = inHome({ '.claude.json': '{ "numStartups": 1 }\n', 'shop/README.md': '' });
    const only = join(home, 'shop');
    const place = { id, only };
    const found = (await clients.list(only)).find((each) => each.id === id)?.inFolder;
    expect(found).toMatchObject({ only, now: none, reach: null, tried: [] });
    expect(found?.files).toEqual(
      FILES[id].map((name) => ({
        path: join(home, name),
        leadsTo: null,
        sharedByGit: name.startsWith('shop/') && id !== 'claude-code',
      })),
    );

    write(clients, place, all);
    const now = await clients.view(place);
    expect(now).toMatchObject({
      otherwise: false,
      folder: null,
      now: { gatehouse: true, ownToolsOff: now.ownTools.can, confirmationOff: now.confirmation.can },
    });
    // Nothing is said of what no version was tried with.
    expect(now.reach?.kind).not.toBe('only-gatehouse');
    expect(clients.launchOf(place)).toEqual(launch(id, null));
    expect((await clients.view({ id, only: null })).now).toEqual(none);
    expect((await clients.view({ id, only: join(home, 'other') })).now).toEqual(none);
    if (id === 'claude-code')
      expect(JSON.parse(read('.claude.json'))).toMatchObject({
        numStartups: 1,
        projects: { [only]: { mcpServers: { gatehouse: { type: 'stdio' } } } },
      });

    expect(clients.disconnect(place)).toEqual({ ok: true });
    expect((await clients.view(place)).now).toEqual(none);
    expect(read('.claude.json')).toBe('{ "numStartups": 1 }\n');
    for (const name of FILES[id].filter((each) => each.startsWith('shop/')))
      expect(existsSync(join(home, name))).toBe(false);
  });
});

it('offers no settings of a folder where a client has none, or while no folder is shown', async () => {
  const { home, clients } = inHome();
  const offered = (await clients.list(join(home, 'shop'))).flatMap(({ id, inFolder }) =>
    inFolder === null ? [] : [id],
  );
  expect(offered.toSorted()).toEqual(Object.keys(FILES).toSorted());
  expect((await clients.list(null)).every(({ inFolder }) => inFolder === null)).toBe(true);
  expect(CLIENT_IDS.length).toBeGreaterThan(offered.length);
});

it('counts the servers for every project among those that a client has in a folder', async () => {
  const { home, clients } = inHome({ '.gemini/settings.json': '{ "mcpServers": { "sh": { "command": "sh" } } }' });
  const place = { id: 'gemini-cli', only: join(home, 'shop') } as const;
  write(clients, place, all);
  expect((await clients.view(place)).reach?.text).toBe('Left: other servers (sh)');
});

describe('what stood there', () => {
  const theirs = { tools: { core: ['ls'] }, mcpServers: { gatehouse: { command: 'mine' }, other: { command: 'x' } } };
  const place = { id: 'gemini-cli', only: null } as const;

  it('is kept beside the file with its mode, the first time', () => {
    const text = JSON.stringify(theirs);
    const { home, clients, read } = inHome({ '.gemini/settings.json': text });
    const backup = '.gemini/settings.json.before-gatehouse';
    write(clients, place, all);
    expect(read(backup)).toBe(text);
    const mode = (name: string): number => statSync(join(home, name)).mode;
    expect(mode(backup)).toBe(mode('.gemini/settings.json'));
    write(clients, place, { ...all, ownToolsOff: false });
    expect(clients.disconnect(place)).toEqual({ ok: true });
    writeFileSync(join(home, '.gemini/settings.json'), '{}');
    write(clients, place, all);
    expect(read(backup)).toBe(text);
  });

  it.each([{ sealed: true }, { sealed: false }])(
    'comes back after several changes, with what the person added meanwhile (sealed: $sealed)',
    ({ sealed }) => {
      const { home, clients, make, read } = inHome({ '.gemini/settings.json': JSON.stringify(theirs) }, { sealed });
      write(clients, place, all);
      write(clients, place, { ...all, confirmationOff: false });
      const path = join(home, '.gemini/settings.json');
      const now = JSON.parse(readFileSync(path, 'utf8')) as object;
      writeFileSync(path, JSON.stringify({ ...now, ui: { theme: 'x' } }));
      // Over a restart, by the copy where nothing could be sealed.
      const later = make();
      write(later, place, { ...all, confirmationOff: true });
      expect(later.disconnect(place)).toEqual({ ok: true });
      expect(JSON.parse(read('.gemini/settings.json'))).toEqual({ ...theirs, ui: { theme: 'x' } });
    },
  );

  it('comes back to the byte after several changes that nobody else wrote between', () => {
    const text = '{\n  // mine\n  "tools": { "core": ["ls"] },\n}\n';
    const { clients, read } = inHome({ '.gemini/settings.json': text });
    write(clients, place, all);
    write(clients, place, { ...all, ownToolsOff: false });
    expect(clients.disconnect(place)).toEqual({ ok: true });
    expect(read('.gemini/settings.json')).toBe(text);
  });
});

it('closes no tools of its own without giving ours', () => {
  const { clients } = inHome();
  expect(clients.preview({ id: 'codex', only: null }, { ...all, gatehouse: false })).toMatchObject({
    preview: { files: [] },
  });
});
