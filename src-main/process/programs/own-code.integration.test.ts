import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { LaunchRequest } from '../../domain/ports/sources/code-inspector.js';
import { testOwnCode } from './own-code.test-support.js';
import { openTestPrograms } from './programs.test-support.js';

function stage() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-own-code-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [open, elsewhere] = [join(root, 'open'), join(root, 'elsewhere')];
  for (const folder of [join(open, 'mcp/node_modules/who'), join(elsewhere, 'srv')])
    mkdirSync(folder, { recursive: true });
  const put = (path: string, text = 'one'): string => {
    writeFileSync(join(root, path), text);
    return join(root, path);
  };
  const code = testOwnCode({ homes: () => [root], hidden: () => [open], writable: () => [open] });
  const look = (command: string, args: readonly string[], more: Partial<LaunchRequest> = {}) =>
    code.inspect({ command, args, cwd: null, seesFolder: false, ...more });
  return { root, open, elsewhere, put, code, look };
}

it('the accepted files of a program are all that it can load, open folder or not', () => {
  const { open, elsewhere, put, look } = stage();
  const server = put('open/mcp/server.mjs');
  const lib = put('open/mcp/node_modules/who/index.mjs');
  put('open/mcp/lib.mjs');
  const first = look('node', [server]).files;
  expect(Object.keys(first)).toEqual([join(open, 'mcp')]);
  for (const change of [
    () => put('open/mcp/lib.mjs', 'two'),
    () => put('open/mcp/node_modules/who/index.mjs', 'two'),
    () => put('open/mcp/new.mjs'),
    () => rmSync(lib),
    () => chmodSync(server, 0o755),
    () => symlinkSync('lib.mjs', join(open, 'mcp/link.mjs')),
  ]) {
    const before = look('node', [server]).files;
    change();
    expect(look('node', [server]).files).not.toEqual(before);
  }
  expect(Object.keys(look('node', [put('elsewhere/srv/server.mjs')]).files)).toEqual([join(elsewhere, 'srv')]);
  expect(look('node', ['--watch'])).toMatchObject({ files: {}, notPinned: [] });
});

it('the accepted files are all that it can load where the folder lies beside the system’s, too', () => {
  const open = realpathSync(mkdtempSync('/opt/gatehouse-own-code-'));
  onTestFinished(() => rmSync(open, { recursive: true, force: true }));
  mkdirSync(join(open, 'mcp'));
  const server = join(open, 'mcp/server.mjs');
  writeFileSync(server, 'one');
  const words = { command: 'node', args: [server], cwd: null, seesFolder: false };
  const code = testOwnCode({ hidden: () => [open], writable: () => [open] });
  const first = code.inspect(words).files;
  expect(Object.keys(first)).toEqual([join(open, 'mcp')]);
  writeFileSync(join(open, 'mcp/lib.mjs'), 'one');
  expect(code.inspect(words).files).not.toEqual(first);
  // Where nobody writes to it, it is the system’s.
  expect(testOwnCode().inspect(words)).toMatchObject({ files: {}, notPinned: [] });
});

it('a file that was changed, with its length and time put back, is another', () => {
  const { put, look } = stage();
  const server = put('elsewhere/srv/server.mjs');
  const first = look('node', [server]).files;
  const { atime, mtime } = statSync(server);
  writeFileSync(server, 'two');
  utimesSync(server, atime, mtime);
  expect(look('node', [server]).files).not.toEqual(first);
  writeFileSync(server, 'one');
  expect(look('node', [server]).files).toEqual(first);
});

it('a program that can’t be pinned is told of, with the reason', () => {
  const { open, elsewhere, put, look } = stage();
  const server = put('elsewhere/srv/server.mjs');
  const why = (command: string, args: readonly string[], more: Partial<LaunchRequest> = {}) =>
    look(command, args, more)
      .notPinned.map(({ words }) => words)
      .join(' ');
  expect(why('node', [server])).toBe('');
  expect(why('python3', ['-m', 'server'])).toContain('finds what it runs when it starts');
  expect(why('npm', ['run', 'mcp'])).toContain('npm run');
  expect(why('env', ['-i', 'A=1', 'npm', 'start'])).toContain('npm start');
  expect(why('sh', ['-c', 'node x'])).toContain('sh -c');
  for (const words of [
    'timeout 60 npm run mcp',
    'timeout -k 5 60 npm run mcp',
    'nice -n 5 npm run mcp',
    'setsid npm run mcp',
    'xvfb-run -a npm run mcp',
    'stdbuf -oL npm run mcp',
    'env -u X A=1 npm run mcp',
    '/usr/bin/timeout 60 /usr/bin/env nice npm run mcp',
    'sudo -u somebody npm run mcp',
    'nx serve mcp',
    'turbo run mcp',
    'corepack pnpm run mcp',
    'timeout 60 npx some-server',
    'bun run mcp',
    'deno task mcp',
    'timeout 60 python3 -m server',
    'busybox sh -ec node',
    'watch npm run mcp',
    'timeout --unknown 60 npm run mcp',
  ]) {
    const [command = '', ...args] = words.split(' ');
    expect(why(command, args), words).not.toBe('');
  }
  for (const words of [
    `timeout 60 node ${server}`,
    `env A=1 nice node ${server}`,
    `bun run ${server}`,
    'npx some-server',
  ]) {
    const [command = '', ...args] = words.split(' ');
    expect(why(command, args), words).toBe('');
  }
  expect(why('node', [join(open, 'mcp')])).toContain('a folder that tools may write to');
  expect(why('node', ['.'], { cwd: join(open, 'mcp') })).toContain('a folder that tools may write to');
  expect(why('node', [server], { cwd: open })).toContain('It starts in');
  expect(why('node', [server], { environment: { NODE_PATH: `/usr/lib:${open}/mcp` } })).toContain('NODE_PATH names');
  for (const words of [
    ['-cp', `/usr/share/java/a.jar:${open}/mcp`, 'Main'],
    [`-I${open}/mcp`, server],
    [`--import=file://${open}/mcp/server.mjs`, server],
    ['-e', `import('${open}/mcp/server.mjs')`],
  ])
    expect(why('node', words), words.join(' ')).toContain(`names ${open}/mcp`);
  // Where it starts may be above an open folder, and no part of it.
  for (const words of [
    ['-r./open/mcp/server.mjs'],
    ['-Iopen/mcp'],
    ['-cp', 'a.jar:open/mcp'],
    ['-e', 'load("open/mcp")'],
  ])
    expect(why('node', [...words, server], { cwd: dirname(open) }), words.join(' ')).toContain(`names ${open}/mcp`);
  for (const value of ['--no-warnings --require ./open/mcp/server.mjs', 'lib:open/mcp', 'elsewhere/../open/mcp'])
    expect(why('node', [server], { cwd: dirname(open), environment: { X: value } }), value).toContain(
      `X names ${open}/mcp`,
    );
  expect(why('node', [server, '--port=3000'], { cwd: dirname(open), environment: { X: 'elsewhere/srv' } })).toBe('');
  const sourcing = put('elsewhere/srv/sourcing', `#!/bin/sh\n. "${open}/mcp/lib.sh"\n`);
  expect(why('sh', [sourcing])).toContain(`names ${open}/mcp/lib.sh`);
  expect(why(sourcing, [])).toContain(`names ${open}/mcp/lib.sh`);
  for (const home of ['~', '$HOME', '${HOME}', '"$HOME"']) {
    const atHome = put('elsewhere/srv/at-home', `#!/bin/sh\n. ${home}/open/mcp/lib.sh\n`);
    expect(why('sh', [atHome]), home).toContain(`names ${open}/mcp/lib.sh`);
    expect(why('sh', ['-c', `. ${home}/open/mcp/lib.sh`]), home).toContain('where tools may write');
  }
  put('open/package.json', '{}');
  const inside = put('open/mcp/server.mjs');
  expect(why('node', [inside])).toBe('');
  expect(why('node', [inside], { seesFolder: true })).toContain('may load more of its folder');
  symlinkSync(open, join(elsewhere, 'srv/linked'));
  expect(why('node', [server])).toContain('holds a link');
  rmSync(join(elsewhere, 'srv/linked'));
  truncateSync(put('elsewhere/srv/large.bin'), 300 * 2 ** 20);
  expect(why('node', [server])).toContain('more than can be copied');
});

it('a script is looked through whole, and what it loads from beside it or from where it starts is told', () => {
  const { open, put, look } = stage();
  // Its own folder would be more than its own: the script alone is copied.
  const why = (script: string, text: string, ...before: string[]) =>
    look(before[0] ?? 'sh', [...before.slice(1), put(script, text)], { cwd: open })
      .notPinned.filter(({ words }) => words.includes('names'))
      .map(({ words }) => words)
      .join(' ');
  for (const name of ['lib.sh', 'lib.mjs', 'rules.py']) put(`open/${name}`);
  mkdirSync(join(open, 'checks'));
  put('open/checks/__init__.py');
  put('open/large.sh', `${'# a line of it\n'.repeat(10_000)}. "${open}/mcp/lib.sh"\n`);
  const lib = `names ${open}/lib.sh, where tools may write`;
  expect(why('open/large.sh', `${'# a line of it\n'.repeat(10_000)}. ${open}/lib.sh\n`)).toContain(lib);
  for (const text of [
    '. ./lib.sh',
    'source lib.sh',
    'source "lib.sh"',
    '. lib.sh',
    '. "$(dirname "$0")/lib.sh"',
    'sh ./lib.sh',
  ])
    expect(why('open/hook.sh', `#!/bin/sh\nset -e\n${text}\n`), text).toContain(lib);
  for (const text of [
    "require('./lib.mjs')",
    "import './lib.mjs';",
    "const x = await import('./lib');",
    "export * from './lib.mjs'",
  ])
    expect(why('open/hook.mjs', `${text}\n`, 'node'), text).toContain(`names ${open}/lib.mjs`);
  for (const [text, named] of [
    ['import rules', 'rules.py'],
    ['import os, rules as r', 'rules.py'],
    ['from rules import deny', 'rules.py'],
    ['from checks.names import deny', 'checks/__init__.py'],
    ['from . import rules', 'rules.py'],
  ] as const)
    expect(why('open/hook.py', `import sys\n${text}\n`, 'python3'), text).toContain(`names ${open}/${named}`);
  for (const text of ['echo lib.sh is a file', '# see ./other.sh', 'import json'])
    expect(why('open/hook.sh', `${text}\n`), text).toBe('');
  // What is copied with it is its own.
  put('open/mcp/lib.sh');
  put('open/mcp/package.json', '{}');
  expect(why('open/mcp/hook.sh', '. "$(dirname "$0")/lib.sh"\n')).toBe('');
  // A text that is too large to be looked through is said to be.
  expect(
    look('sh', [put('open/huge.sh', `#!/bin/sh\n${'#'.repeat(9 * 2 ** 20)}`)]).notPinned.map(({ words }) => words),
  ).toContainEqual(expect.stringContaining('is too large to be looked through'));
});

it('what runs is the copy of what was looked at, with nothing else of its place, though that is swapped meanwhile', async () => {
  await using programs = await openTestPrograms();
  const { open, put, code, look } = stage();
  put('open/mcp/server.sh', '. "$(dirname "$0")/lib.sh"; test -e "$1/loose.sh" && . "$1/loose.sh"; echo "$0"');
  put('open/mcp/lib.sh', 'echo accepted');
  const now = look('sh', [join(open, 'mcp/server.sh'), open]);
  const start = await code.prepareStart(now, { isConfined: true, folder: null });
  put('open/mcp/lib.sh', 'echo swapped');
  put('open/loose.sh', 'echo loose');
  const run = async (folder: string | null) => {
    const { command, args, reads, copies } = await code.prepareStart(now, { isConfined: true, folder });
    const seen = folder === null ? null : ({ path: folder, access: 'read', isDenied: () => false } as const);
    return (await programs.run([command, ...args], { reads, copies, folder: seen })).stdout;
  };
  expect(start.args[0]).toBe(join(open, 'mcp/server.sh'));
  expect(await run(null)).toBe(`accepted\n${join(open, 'mcp/server.sh')}\n`);
  // Where it sees the folder, it runs from elsewhere: what it looks up beside it is not the folder's.
  const shown = await run(open);
  expect(shown).toContain('accepted');
  expect(shown).toContain('loose');
  expect(shown).not.toContain('swapped');
  expect(shown).not.toContain(join(open, 'mcp/server.sh'));

  // Unconfined, nothing can stand in its place: its words lead to the copy.
  const bare = await code.prepareStart(now, { isConfined: false, folder: null });
  expect(bare.copies).toEqual([]);
  expect([basename(bare.args[0] ?? ''), readFileSync(join(bare.args[0] ?? '', '../lib.sh'), 'utf8')]).toEqual([
    'server.sh',
    'echo accepted',
  ]);
});

it('what changed before it was copied is not started', async () => {
  const { put, code, look } = stage();
  const server = put('open/mcp/server.mjs');
  const now = look('node', [server]);
  put('open/mcp/lib.mjs', 'swapped');
  put('open/mcp/server.mjs', 'swapped');
  await expect(code.prepareStart(now, { isConfined: true, folder: null })).rejects.toThrow(
    'changed while it was copied',
  );
  // A copy that somebody changed is made anew.
  const again = look('node', [server]);
  const { copies } = await code.prepareStart(again, { isConfined: true, folder: null });
  const copied = join(copies[0]?.from ?? '', 'server.mjs');
  writeFileSync(copied, 'in the copy');
  await code.prepareStart(look('node', [server]), { isConfined: true, folder: null });
  expect(readFileSync(copied, 'utf8')).toBe('swapped');
});
