import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENT_IDS, type ClientId, type ClientPlace } from '#contract/window/clients.js';
import { all, inHome, launch, none, write } from './clients.test-support.js';

const everywhere = (id: ClientId): ClientPlace => ({ id, only: null });

/** Settings files as people have them: comments, other servers, what programs keep there themselves. */
const SAMPLES: Readonly<Record<ClientId, Readonly<Record<string, string>>>> = {
  'claude-code': {
    '.claude.json': '{\n  "numStartups": 12,\n  "projects": { "/home/me/shop": { "history": [] } }\n}\n',
    '.claude/settings.json': '{\n  "permissions": {\n    "deny": ["WebFetch"],\n    "allow": []\n  }\n}\n',
  },
  'claude-desktop': { '.config/Claude/claude_desktop_config.json': '{ "globalShortcut": "" }\n' },
  cursor: { '.cursor/mcp.json': '{\n\t"mcpServers": {}\n}\n' },
  vscode: { '.config/Code/User/mcp.json': '// servers of mine\n{\n  "servers": {},\n}\n' },
  codex: { '.codex/config.toml': '# mine\nmodel = "gpt-5.5" # good\n\n[features]\n# terse\ngoals = true\n' },
  'gemini-cli': { '.gemini/settings.json': '{\n  "ui": { "theme": "x" } // dark\n}\n' },
  'qwen-code': { '.qwen/settings.json': '{\n    "permissions": { "deny": ["glob"] }\n}\n' },
  opencode: { '.config/opencode/opencode.jsonc': '{\n  // mine\n  "theme": "x",\n}\n' },
  zed: { '.config/zed/settings.json': '// Zed\n{\n  "vim_mode": true, // yes\n}\n' },
  cline: { '.cline/data/settings/cline_mcp_settings.json': '{\n  "mcpServers": {}\n}' },
  goose: {
    '.config/goose/config.yaml':
      'GOOSE_MODE: auto # mine\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n',
  },
};

describe.each(CLIENT_IDS)('%s', (id) => {
  it('is found, connected as it is shown, told truthfully, and undone to the byte', async () => {
    const { home, clients, make, read } = inHome(SAMPLES[id]);
    const before = await clients.view(everywhere(id));
    expect(before).toMatchObject({ installed: true, now: { gatehouse: false }, reach: null, problem: null });
    expect((await clients.list(null)).filter(({ installed }) => installed)).toHaveLength(1);

    const at = before.namesFolder ? '/home/me/shop' : null;
    const { folder: _named, ...unnamed } = all;
    expect(clients.preview(everywhere(id), unnamed).ok).toBe(at === null);
    const found = clients.preview(everywhere(id), all);
    if (!found.ok) throw new Error(found.problem);
    expect(found.preview.files.length).toBeGreaterThan(0);
    for (const name of Object.keys(SAMPLES[id])) expect(read(name)).toBe(SAMPLES[id][name]);
    expect(clients.write(everywhere(id), all, found.preview.digest)).toEqual({ ok: true });
    for (const { path, after } of found.preview.files) expect(readFileSync(path, 'utf8')).toBe(after);

    const now = await clients.view(everywhere(id));
    expect(now).toMatchObject({
      otherwise: false,
      folder: at,
      now: { gatehouse: true, ownToolsOff: now.ownTools.can, confirmationOff: now.confirmation.can },
    });
    expect(clients.launchOf(everywhere(id))).toEqual(launch(id, at));
    // Every comment is still there.
    const texts = found.preview.files.map(({ after }) => after).join('\n');
    for (const comment of Object.values(SAMPLES[id])
      .join('\n')
      .match(/(?:#|\/\/) \w+(?: \w+)*/gu) ?? [])
      expect(texts).toContain(comment);
    // The same again changes nothing.
    expect(clients.preview(everywhere(id), { ...now.now, folder: '/home/me/shop' })).toMatchObject({
      preview: { files: [] },
    });

    // Over a restart, too.
    const later = make();
    expect(later.disconnect(everywhere(id))).toEqual({ ok: true });
    for (const [name, text] of Object.entries(SAMPLES[id])) expect(read(name)).toBe(text);
    expect(await later.view(everywhere(id))).toMatchObject({ now: before.now });
    expect(existsSync(join(home, 'data', 'clients', id))).toBe(false);
  });

  it('is made settings where it has none, and taken out again by clearing the checkboxes', async () => {
    const { home, clients } = inHome();
    write(clients, everywhere(id), all);
    const { now, files } = await clients.view(everywhere(id));
    expect(now.gatehouse).toBe(true);
    for (const { path } of files.slice(0, 1)) expect(statSync(path).mode & 0o777).toBe(0o600);
    write(clients, everywhere(id), none);
    expect(await clients.view(everywhere(id))).toMatchObject({ now: none, reach: null });
    expect(readFileSync(files[0]?.path ?? '', 'utf8')).not.toContain('gatehouse');
    expect(existsSync(home)).toBe(true);
  });
});

it('says of each what can be said: only Gatehouse where it was tried and is set so, and otherwise what else there is', async () => {
  const { home, clients } = inHome();
  for (const id of CLIENT_IDS) write(clients, everywhere(id), all);
  const reach = Object.fromEntries((await clients.list(null)).map(({ id, reach: said }) => [id, said?.kind]));
  expect(reach).toEqual({
    'claude-code': 'only-gatehouse',
    'claude-desktop': 'unknown',
    cursor: 'also-others',
    vscode: 'also-others',
    codex: 'also-others',
    'gemini-cli': 'only-gatehouse',
    'qwen-code': 'only-gatehouse',
    opencode: 'only-gatehouse',
    zed: 'unknown',
    cline: 'also-others',
    goose: 'unknown',
  });
  expect((await clients.view(everywhere('codex'))).reach?.text).toContain('patch tool');

  write(clients, everywhere('gemini-cli'), { ...all, ownToolsOff: false });
  expect((await clients.view(everywhere('gemini-cli'))).reach?.text).toBe('Left: its own shell and file tools');
  write(clients, everywhere('gemini-cli'), all);
  const settings = join(home, '.gemini', 'settings.json');
  writeFileSync(
    settings,
    readFileSync(settings, 'utf8').replace('"mcpServers": {', '"mcpServers": { "sh": { "command": "sh" },'),
  );
  expect((await clients.view(everywhere('gemini-cli'))).reach?.text).toBe('Left: other servers (sh)');
  const opencode = join(home, '.config', 'opencode', 'opencode.json');
  writeFileSync(
    opencode,
    readFileSync(opencode, 'utf8').replace('{', '{ "agent": { "x": { "permission": { "bash": "allow" } } },'),
  );
  expect((await clients.view(everywhere('opencode'))).reach).toMatchObject({ kind: 'unknown' });
});

it('what was shown is what is replaced: changed meanwhile, it is shown again', async () => {
  const { home, clients } = inHome(SAMPLES['gemini-cli']);
  const path = join(home, '.gemini', 'settings.json');
  const shown = clients.preview(everywhere('gemini-cli'), all);
  if (!shown.ok) throw new Error(shown.problem);
  writeFileSync(path, '{ "other": 1 }\n');
  expect(clients.write(everywhere('gemini-cli'), all, shown.preview.digest)).toMatchObject({ ok: false, stale: true });
  // For one wish only.
  const again = clients.preview(everywhere('gemini-cli'), all);
  if (!again.ok) throw new Error(again.problem);
  expect(clients.write(everywhere('gemini-cli'), none, again.preview.digest)).toMatchObject({ ok: false, stale: true });
  expect(readFileSync(path, 'utf8')).toBe('{ "other": 1 }\n');
});

it('a bad file is named with its line, and stays as it is', async () => {
  const { clients, read } = inHome({ '.codex/config.toml': 'a = 1\nb = = 2\n' });
  expect((await clients.view(everywhere('codex'))).problem).toContain('config.toml: It isn’t valid TOML (line 2)');
  expect(clients.preview(everywhere('codex'), all)).toMatchObject({ ok: false });
  expect(clients.write(everywhere('codex'), all, 'x')).toMatchObject({ ok: false, stale: false });
  expect(read('.codex/config.toml')).toBe('a = 1\nb = = 2\n');
});

it('a link is shown with where it leads, and one of two files that can’t be written takes the other back', async () => {
  const { home, clients, read } = inHome({ 'dotfiles/claude.json': '{}\n', '.claude/settings.json': '{}\n' });
  symlinkSync(join(home, 'dotfiles', 'claude.json'), join(home, '.claude.json'));
  const found = clients.preview(everywhere('claude-code'), all);
  if (!found.ok) throw new Error(found.problem);
  expect(found.preview.files[0]?.note).toContain(join(home, 'dotfiles', 'claude.json'));
  expect((await clients.view(everywhere('claude-code'))).files[0]?.leadsTo).toBe(join(home, 'dotfiles', 'claude.json'));
  if (process.getuid?.() === 0) return;
  chmodSync(join(home, '.claude'), 0o500);
  expect(clients.write(everywhere('claude-code'), all, found.preview.digest)).toMatchObject({ ok: false });
  expect(read('dotfiles/claude.json')).toBe('{}\n');
});

it('an entry that starts something else is said to, and is never started', async () => {
  const { clients } = inHome({
    '.gemini/settings.json':
      '{ "mcpServers": { "gatehouse": { "command": "sh", "args": ["-c", "x"], "url": "http://x" } } }',
  });
  expect(await clients.view(everywhere('gemini-cli'))).toMatchObject({ otherwise: true, now: { gatehouse: true } });
  expect(clients.launchOf(everywhere('gemini-cli'))).toBeNull();
  write(clients, everywhere('gemini-cli'), all);
  expect((await clients.view(everywhere('gemini-cli'))).otherwise).toBe(false);
});

it('an entry names a folder for a client that tells none, and an earlier one of another is still ours until it is written anew', async () => {
  const { clients } = inHome();
  const desktop = { ...all, folder: '/home/me/shop' };
  write(clients, everywhere('claude-desktop'), desktop);
  expect(await clients.view(everywhere('claude-desktop'))).toMatchObject({ otherwise: false, folder: '/home/me/shop' });
  expect(clients.preview(everywhere('claude-desktop'), { ...desktop, folder: '/home/me/else' })).toMatchObject({
    preview: { files: [{ change: 'modified' }] },
  });
  const tied = launch('gemini-cli', '/home/me/shop');
  const entry = JSON.stringify({ mcpServers: { gatehouse: { command: tied.command, args: tied.args, env: {} } } });
  const before = inHome({ '.gemini/settings.json': entry }).clients;
  expect(await before.view(everywhere('gemini-cli'))).toMatchObject({ otherwise: false, folder: '/home/me/shop' });
  write(before, everywhere('gemini-cli'), all);
  expect(await before.view(everywhere('gemini-cli'))).toMatchObject({ otherwise: false, folder: null });
});

it('nothing that was kept for undo stands in the clear; without a key store it is kept for this run', async () => {
  const token = '{ "mcpServers": { "other": { "env": { "TOKEN": "s3cret" } } } }';
  const sealed = inHome({ '.cursor/mcp.json': token });
  write(sealed.clients, everywhere('cursor'), all);
  expect(sealed.read('data/clients/cursor')).not.toContain(Buffer.from(token).toString('base64').slice(0, 20));
  expect(statSync(join(sealed.home, 'data', 'clients', 'cursor')).mode & 0o777).toBe(0o600);

  const unsealed = inHome({ '.cursor/mcp.json': token }, { sealed: false });
  write(unsealed.clients, everywhere('cursor'), all);
  expect(existsSync(join(unsealed.home, 'data'))).toBe(false);
  expect(unsealed.clients.disconnect(everywhere('cursor'))).toEqual({ ok: true });
  expect(unsealed.read('.cursor/mcp.json')).toBe(token);
});

it('finds a program that has no settings yet', async () => {
  const { home, clients } = inHome({ 'bin/goose': '#!/bin/sh\n' });
  expect((await clients.view(everywhere('goose'))).installed).toBe(false);
  chmodSync(join(home, 'bin', 'goose'), 0o755);
  expect((await clients.view(everywhere('goose'))).installed).toBe(true);
});
