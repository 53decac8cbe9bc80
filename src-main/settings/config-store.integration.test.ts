import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { ConfigStore } from './config-store.js';
import { getPendingDigest } from './folder-settings.js';

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

test('Follows a file whose folder is missing, comes, is replaced by another, and comes anew', async () => {
  const own = join(folder, 'missing', 'config');
  store = new ConfigStore(join(own, 'config.toml'));
  await store.startWatching();
  const write = (bytes: number): void => {
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'config.toml'), `[tools.output]\nmax_bytes = ${bytes}\n`);
  };
  const after = async (act: () => void): Promise<number> => {
    await changeBy(act);
    return store.current.tools.output.max_bytes;
  };
  expect(await after(() => write(1001))).toBe(1001);
  expect(await after(() => write(1002))).toBe(1002);
  const replace = (): void => {
    renameSync(own, join(folder, 'elsewhere'));
    write(1003);
  };
  expect(await after(replace)).toBe(1003);
  expect(await after(() => write(1004))).toBe(1004);
  expect(await after(() => rmSync(join(folder, 'missing'), { recursive: true }))).toBe(102_400);
  expect(await after(() => write(1005))).toBe(1005);
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
  store.openFolder(workspace);
  store.show(workspace);
  await store.startWatching();
  await changeBy(() => writeWorkspaceFile('[tools.output]\nmax_bytes = 10\n[tools.run_command]\nnetwork = true\n'));
  expect(store.current.tools.output.max_bytes).toBe(10);
  expect(store.current.tools.run_command.network).toBe(false);
  expect(store.notices).toMatchObject([
    { id: expect.stringMatching(/^config-changed-workspace-/u) },
    { id: expect.stringMatching(/^config-ignored-workspace-/u) },
  ]);
  expect(store.notices[1]?.text).toContain('tools.run_command.network');
  store.closeFolder(workspace);
  store.show(null);
  expect(store.current.tools.output.max_bytes).toBe(102_400);
  expect(store.notices).toEqual([]);
});

test('A folder’s file binds that folder alone; what belongs to none is bound by all that are open', () => {
  const other = join(folder, 'other');
  writeWorkspaceFile('[tools]\nmode = "parse_only"\n[gateway.limits]\nsessions = 3\n');
  mkdirSync(join(other, '.gatehouse'), { recursive: true });
  writeFileSync(join(other, '.gatehouse', 'config.toml'), '[tools]\nbogus = 1\n[gateway.limits]\nsheets = 2\n');
  for (const each of [workspace, other]) store.openFolder(each);
  expect([workspace, other].map((each) => store.forFolder(each).config.tools.mode)).toEqual(['parse_only', 'enabled']);
  expect(store.own.tools.mode).toBe('enabled');
  expect(store.everywhere.gateway.limits).toMatchObject({ sessions: 3, sheets: 2 });
  // The window shows what is so in the folder that it shows.
  expect(store.current.tools.mode).toBe('enabled');
  store.show(workspace);
  expect(store.current.tools.mode).toBe('parse_only');
  expect(store.files.workspace).toBe(join(workspace, '.gatehouse', 'config.toml'));
  // Each notice names its folder, whichever is shown.
  expect(store.notices.map(({ text }) => text.includes(other))).toEqual([true]);
  store.closeFolder(workspace);
  expect(store.everywhere.gateway.limits.sessions).toBe(64);
  // A closed one binds what the person does there all the same.
  expect(store.forFolder(workspace).config.tools.mode).toBe('parse_only');
});

test('A yes for one folder’s settings is none for another’s that say the same', () => {
  const other = join(folder, 'other');
  mkdirSync(other);
  for (const each of [workspace, other]) {
    store.openFolder(each);
    mkdirSync(join(each, '.gatehouse'));
    writeFileSync(join(each, '.gatehouse', 'config.toml'), '[tools]\nmode = "disabled"\n');
  }
  store.reload();
  const [first, second] = store.notices.map(({ id }) => getPendingDigest(id));
  expect(first).not.toBe(second);
  expect(store.useFolderSettings(first ?? '')).toBeNull();
  expect([workspace, other].map((each) => store.forFolder(each).config.tools.mode)).toEqual(['disabled', 'enabled']);
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
  store.openFolder(workspace);
  store.show(workspace);
  expect(store.problem?.reason).toMatch(/\S/);
  expect(store.current.tools.mode).toBe('enabled');
});

test('A workspace whose .gatehouse leads elsewhere is not followed', () => {
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'elsewhere', 'config.toml'), '[tools]\nmode = "disabled"\n');
  symlinkSync(join(folder, 'elsewhere'), join(workspace, '.gatehouse'));
  store.openFolder(workspace);
  store.show(workspace);
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

test('A rule is removed and put back byte for byte; over what was changed meanwhile, the rule alone', async () => {
  const text = `# mine\n[[tools.approval.confirmed]] # tests\ntool = "run_command"\n  command = 'npm test'\nexpires = 2027-01-01\n\n[[tools.approval.confirmed]]\ntool = "x"\n`;
  writeFileSync(file, text);
  store.reload();
  const removed = await store.removeConfirmed(({ command }) => command === 'npm test');
  if (!removed.ok) throw new Error(removed.problem);
  expect(store.current.tools.approval.confirmed).toEqual([{ tool: 'x' }]);
  expect(readFileSync(file, 'utf8')).toContain('# mine');
  expect(await store.removeConfirmed(({ command }) => command === 'npm test')).toMatchObject({ ok: false });
  expect(await removed.restore()).toEqual({ ok: true });
  expect(readFileSync(file, 'utf8')).toBe(text);

  const again = await store.removeConfirmed(({ command }) => command === 'npm test');
  if (!again.ok) throw new Error(again.problem);
  await store.set('tools.approval.wait_seconds', 5);
  expect(await again.restore()).toEqual({ ok: true });
  expect(store.current.tools.approval.wait_seconds).toBe(5);
  expect(store.current.tools.approval.confirmed).toEqual([
    { tool: 'x' },
    { tool: 'run_command', command: 'npm test', expires: '2027-01-01' },
  ]);
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
  store.openFolder(workspace);
  store.show(workspace);
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
    ({ current }) => current.tools.approval.denylist,
    (denylist) => heard.push(denylist),
  );
  const leave = store.watch(
    ({ current }) => current.tools.mode,
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
    ({ current }) => current.tools.mode,
    () => {
      throw new Error('trouble');
    },
  );
  let heard = '';
  store.watch(
    ({ current }) => current.tools.mode,
    (mode) => void (heard = mode),
  );
  expect(await store.set('tools.mode', 'disabled')).toEqual({ ok: true });
  expect(heard).toBe('disabled');
  expect(await told).toEqual(new Error('trouble'));
});
