import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { ConfigStore } from './config-store.js';

let folder: string;
let file: string;
let workspace: string;
let store: ConfigStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
  file = join(folder, 'config.toml');
  workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  store = new ConfigStore(file);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The next change, caused by `act`. */
async function changeBy(act: () => void): Promise<void> {
  const changed = new Promise<void>((resolve) => {
    const stop = store.onChange(() => {
      stop();
      resolve();
    });
  });
  act();
  await changed;
}

function writeWorkspaceFile(text: string): void {
  mkdirSync(join(workspace, '.gatehouse'), { recursive: true });
  writeFileSync(join(workspace, '.gatehouse', 'config.toml'), text);
}

test('Follows the file: made, written, replaced as editors do, deleted, made again', async () => {
  await store.startWatching();
  expect(store.current.tools.mode).toBe('enabled');
  await changeBy(() => writeFileSync(file, '[tools]\nmode = "disabled"\n'));
  expect(store.current.tools.mode).toBe('disabled');
  await changeBy(() => {
    writeFileSync(`${file}.swp`, '[tools]\nmode = "parse_only"\n');
    renameSync(`${file}.swp`, file);
  });
  expect(store.current.tools.mode).toBe('parse_only');
  await changeBy(() => rmSync(file));
  expect(store.current.tools.mode).toBe('enabled');
  await changeBy(() => writeFileSync(file, '[tools]\nmode = "disabled"\n'));
  expect(store.current.tools.mode).toBe('disabled');
});

test('A file that breaks changes nothing, says where, and is taken again when mended', async () => {
  writeFileSync(file, '[tools]\nmode = "disabled"\n');
  store.reload();
  writeFileSync(file, '[tools]\nmode = "disabled"\nmax_tool_args_bytes = "many"\n');
  store.reload();
  expect(store.current.tools.mode).toBe('disabled');
  expect(store.problem).toMatchObject({ file, line: 3 });
  expect(store.notices).toMatchObject([{ id: 'config-problem-person', severity: 'error' }]);
  expect(store.notices[0]?.text).toContain(`${file}, line 3: tools.max_tool_args_bytes`);
  writeFileSync(file, '[tools]\nmode = "parse_only"\n');
  store.reload();
  expect(store.current.tools.mode).toBe('parse_only');
  expect(store.notices).toEqual([]);
});

test('A broken file at first start leaves the defaults', async () => {
  writeFileSync(file, 'mode = ');
  const fresh = new ConfigStore(file);
  expect(fresh.current).toEqual(new ConfigStore(join(folder, 'none.toml')).current);
  expect(fresh.problem).not.toBeNull();
});

test('A workspace’s file tightens as soon as it is changed, and is named where it wants more', async () => {
  writeWorkspaceFile('');
  store.setWorkspace(workspace);
  await store.startWatching();
  await changeBy(() => writeWorkspaceFile('[tools.output]\nmax_bytes = 10\n[tools.run_command]\nnetwork = true\n'));
  expect(store.current.tools.output.max_bytes).toBe(10);
  expect(store.current.tools.run_command.network).toBe(false);
  expect(store.notices).toMatchObject([{ id: 'config-changed-workspace' }, { id: 'config-ignored' }]);
  expect(store.notices[1]?.text).toContain('tools.run_command.network');
  store.setWorkspace(null);
  expect(store.current.tools.output.max_bytes).toBe(102_400);
  expect(store.notices).toEqual([]);
});

test.each([
  ['a link', (path: string) => symlinkSync('/dev/zero', path)],
  ['a pipe that nobody writes', (path: string) => void execFileSync('mkfifo', [path])],
  ['a folder', (path: string) => mkdirSync(path)],
  ['text that is not UTF-8', (path: string) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00]))],
  ['two megabytes', (path: string) => writeFileSync(path, '#'.repeat(2_000_000))],
])('A workspace’s file that is %s is refused and stops nothing', (_what, make) => {
  mkdirSync(join(workspace, '.gatehouse'));
  make(join(workspace, '.gatehouse', 'config.toml'));
  store.setWorkspace(workspace);
  expect(store.problem?.reason).toMatch(/\S/);
  expect(store.current.tools.mode).toBe('enabled');
});

test('A workspace whose .gatehouse leads elsewhere is not followed', () => {
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'elsewhere', 'config.toml'), '[tools]\nmode = "disabled"\n');
  symlinkSync(join(folder, 'elsewhere'), join(workspace, '.gatehouse'));
  store.setWorkspace(workspace);
  expect(store.problem?.reason).toContain('link');
  expect(store.current.tools.mode).toBe('enabled');
});

test('Changes made at once are all kept, with the comments', async () => {
  writeFileSync(file, '# mine\n[tools]\nmode = "enabled" # so\n');
  const saved = await Promise.all([
    store.set('tools.mode', 'parse_only'),
    store.set('tools.approval.wait_seconds', 5),
    store.set('gateway.enabled', true),
    store.addConfirmed({ tool: 'run_command', command: 'npm test' }),
    store.addConfirmed({ tool: 'run_command', prefix: 'npm run', expires: '2027-01-01' }),
  ]);
  expect(saved).toEqual(saved.map(() => ({ ok: true })));
  const { tools, gateway } = store.current;
  expect([tools.mode, tools.approval.wait_seconds, gateway.enabled]).toEqual(['parse_only', 5, true]);
  expect(tools.approval.confirmed).toHaveLength(2);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('# mine');
  expect(text).toContain('# so');
});

test('What is no setting, or no value of it, is refused in words; so is a file that must be mended first', async () => {
  expect(await store.set('tools.nothing', 1)).toMatchObject({ ok: false });
  expect(await store.set('tools', 1)).toMatchObject({ ok: false });
  expect(await store.set('__proto__', 1)).toMatchObject({ ok: false });
  expect(await store.set('tools.mode', 'sometimes')).toEqual({
    ok: false,
    problem: 'tools.mode must be one of: disabled, parse_only, enabled.',
  });
  writeFileSync(file, 'broken = \n');
  const refused = await store.set('tools.mode', 'disabled');
  expect(refused).toMatchObject({ ok: false });
  expect(readFileSync(file, 'utf8')).toBe('broken = \n');
});

test('A linked settings file stays a link', async () => {
  const real = join(folder, 'dotfiles.toml');
  writeFileSync(real, '# dotfiles\n');
  symlinkSync(real, file);
  expect(await store.set('tools.mode', 'disabled')).toEqual({ ok: true });
  expect(readFileSync(real, 'utf8')).toContain('mode = "disabled"');
});

test('What changes a thousand times a second is read a few times, and in the end as it is', async () => {
  writeWorkspaceFile('');
  store.setWorkspace(workspace);
  await store.startWatching();
  let told = 0;
  const last = new Promise<void>((resolve) =>
    store.onChange(() => {
      told += 1;
      if (store.current.tools.output.max_bytes === 2000) resolve();
    }),
  );
  for (let bytes = 1001; bytes <= 2000; bytes += 1) {
    writeWorkspaceFile(`[tools.output]\nmax_bytes = ${bytes}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await last;
  expect(told).toBeLessThan(100);
});

test('Who follows a value hears of it when it is another one, and of nothing else', async () => {
  const heard: unknown[] = [];
  store.watch(
    ({ config }) => config.tools.approval.denylist,
    (denylist) => heard.push(denylist),
  );
  const leave = store.watch(
    ({ config }) => config.tools.mode,
    (mode) => heard.push(mode),
  );
  await store.set('tools.mode', 'disabled');
  expect(heard).toEqual(['disabled']);
  await store.set('tools.approval.denylist', ['write_file']);
  await store.set('tools.approval.denylist', ['write_file']);
  await store.set('journal.keep_days', 12);
  expect(heard, 'the same list, read anew, is the same value').toEqual(['disabled', ['write_file']]);
  leave();
  await store.set('tools.mode', 'enabled');
  expect(heard).toHaveLength(2);
});

test('One follower’s trouble is told, and keeps no other from hearing', async () => {
  // The runner listens too, and would take it for a fault of the test.
  const others = process.rawListeners('uncaughtException') as ((error: Error) => void)[];
  process.removeAllListeners('uncaughtException');
  onTestFinished(() => others.forEach((listener) => process.on('uncaughtException', listener)));
  const told = new Promise((resolve) => process.once('uncaughtException', resolve));
  store.watch(
    ({ config }) => config.tools.mode,
    () => {
      throw new Error('trouble');
    },
  );
  let heard = '';
  store.watch(
    ({ config }) => config.tools.mode,
    (mode) => void (heard = mode),
  );
  expect(await store.set('tools.mode', 'disabled')).toEqual({ ok: true });
  expect(heard).toBe('disabled');
  expect(await told).toEqual(new Error('trouble'));
});
