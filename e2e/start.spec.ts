import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';
import { expect, type Gatehouse, makeFolder, projectDir, test } from './app.js';

const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const NOISE = /^(?:\[|libva|MESA).*\n?/gm;

/** Starts the app as a person in a shell does, and waits for its end. */
async function runToEnd(...flags: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(electronExecutable(), [projectDir, ...asRoot, ...flags], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr: stderr.replaceAll(NOISE, '') };
}

function brokenPackage(folder: string): string {
  writeFileSync(join(folder, 'manifest.yaml'), 'domain_id: "x"\nversion: 1\ntools: []\n');
  return folder;
}

/** Every file of a data folder by what is in it, but for the logs and for what Chromium keeps for itself. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const named = files.map((each) => relative(folder, join(each.parentPath, each.name)));
  const own = named.filter((file) => !/^(?:logs|chromium)\//.test(file));
  const digest = (file: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex');
  return Object.fromEntries(own.map((file) => [file, digest(file)]));
}

/** Where a database of SQLite says which version of its schema it has. */
const USER_VERSION_AT = 60;

test('A data folder of a build from before the first release is refused in one line, and left as it is', async ({
  launch,
}) => {
  const dataDir = makeFolder('unreleased');
  const first = await launch({ dataDir });
  await first.close();
  const file = join(dataDir, 'journal.db');
  const bytes = readFileSync(file);
  expect(bytes.readUInt32BE(USER_VERSION_AT)).toBeGreaterThanOrEqual(18);
  bytes.writeUInt32BE(17, USER_VERSION_AT);
  writeFileSync(file, bytes);
  const before = filesOf(dataDir);
  const { code, stderr } = await runToEnd('--data-dir', dataDir);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^gatehouse: The journal [^\n]+ from before its first release[^\n]+\n$/);
  expect(filesOf(dataDir)).toEqual(before);
});

const snapshot = async ({ page }: Gatehouse) => {
  const answer = await page.evaluate(() => window.gatehouse.client['app.snapshot']({}));
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
};

test.describe('What can’t be started is refused in one line, with exit code 2:', () => {
  let folder: string;
  test.beforeEach(() => {
    folder = makeFolder('refused');
    writeFileSync(join(folder, 'file'), '');
    symlinkSync('circle', join(folder, 'circle'));
  });
  test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const [what, flags] of [
    ['an unknown flag', () => ['--bogus']],
    ['a flag without its folder', () => ['--workspace']],
    ['a workspace that is not there', () => ['--workspace', join(folder, 'nothing')]],
    ['a workspace that is a file', () => ['--workspace', join(folder, 'file')]],
    ['a workspace whose links go in a circle', () => ['--workspace', join(folder, 'circle')]],
    ['a data folder that is a file', () => ['--data-dir', join(folder, 'file')]],
    ['a data folder below a file', () => ['--data-dir', join(folder, 'file', 'data')]],
    ['a data folder that can’t be made', () => ['--data-dir', '/proc/gatehouse']],
    ['a second thing after the app', () => [folder]],
    ['a domain without its folder', () => ['--domain']],
    ['two domains', () => ['--domain', folder, '--domain', folder]],
    // The page asks meanwhile, and has no app to answer it.
    ['a package that is wrong', () => ['--data-dir', join(folder, 'data'), '--domain', brokenPackage(folder)]],
  ] as const) {
    test(what, async () => {
      const { code, stderr } = await runToEnd(...flags());
      expect(code).toBe(2);
      expect(stderr).toMatch(/^gatehouse: [^\n]+\n$/);
    });
  }
});

test('A second start hands its folder over, exits 0, and the first opens it beside its own and shows it', async ({
  gatehouse,
}) => {
  // A name that Chromium’s own message between the two would lose.
  const other = makeFolder('мой проект');
  const second = await runToEnd('--data-dir', gatehouse.dataDir, '--workspace', other);
  expect(second).toMatchObject({ code: 0, stderr: '' });
  await expect
    .poll(async () => (await snapshot(gatehouse)).workspaces.map(({ path }) => path))
    .toEqual([gatehouse.workspace, realpathSync(other)]);
  await expect.poll(async () => (await snapshot(gatehouse)).workspace?.path).toBe(realpathSync(other));
  expect((await snapshot(gatehouse)).question).toBeNull();
  rmSync(other, { recursive: true });
});

test('SIGINT ends it as cleanly as SIGTERM', async ({ gatehouse }) => {
  const child = gatehouse.electron.process();
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(existsSync(join(gatehouse.dataDir, 'gateway.json'))).toBe(false);
});

test('It leaves nothing in the folder for temporary files, however it is ended', async ({ launch }) => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const temporary = makeFolder('temporary');
    const { electron } = await launch({ env: { TMPDIR: temporary } });
    const child = electron.process();
    const ended = once(child, 'exit');
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
    expect(readdirSync(temporary)).toEqual([]);
    rmSync(temporary, { recursive: true });
  }
});

test('A hostile config.toml leaves the app usable on the defaults, and names file, line and reason', async ({
  launch,
}) => {
  const app = await launch({ config: `# mine\n[tools]\nmode = ["enabled"]\n` });
  const { notices, status } = await snapshot(app);
  expect(status.mode).toBe('enabled');
  const notice = notices.find(({ id }) => id === 'config-problem-person');
  expect(notice?.text).toContain(`${join(app.dataDir, 'config.toml')}, line 3: tools.mode`);
  await expect(app.page.getByText('Your settings can’t be used')).toBeVisible();
});

test('Settings changed in the file count at once, and a file that breaks keeps the last good ones', async ({
  gatehouse,
}) => {
  const file = join(gatehouse.dataDir, 'config.toml');
  const mode = async () => (await snapshot(gatehouse)).status.mode;
  writeFileSync(file, '[tools]\nmode = "parse_only"\n');
  await expect.poll(mode).toBe('parse_only');
  writeFileSync(file, '[tools]\nmode = \n');
  await expect
    .poll(async () => (await snapshot(gatehouse)).notices.map(({ id }) => id))
    .toContain('config-problem-person');
  expect(await mode()).toBe('parse_only');
  writeFileSync(file, '');
  await expect.poll(mode).toBe('enabled');
});

test('A workspace’s file can’t loosen, and the notice names what it wanted', async ({ launch }) => {
  const app = await launch({
    files: {
      '.gatehouse/config.toml':
        '[tools.run_command]\nconfinement = "off"\nnetwork = true\n[tools]\nmode = "disabled"\n',
    },
  });
  const ignored = async () => (await snapshot(app)).notices.find(({ id }) => id.startsWith('config-ignored'))?.text;
  await expect.poll(ignored).toContain('tools.run_command.network');
  const { status } = await snapshot(app);
  expect([status.mode, status.confinement.mode]).toEqual(['disabled', 'preferred']);
});

for (const [what, state] of [
  ['off every screen', '{"bounds":{"x":-9000,"y":9000,"width":900,"height":600},"maximized":false,"theme":"dark"}'],
  ['cut off in the middle', '{"bounds":{"x":10,'],
  ['of another kind', '{"__proto__":{"bounds":null},"bounds":[1,2]}'],
] as const) {
  test(`A window state ${what} brings the window up where it can be seen`, async ({ launch }) => {
    const dataDir = makeFolder('state');
    writeFileSync(join(dataDir, 'window-state.json'), state);
    const { electron } = await launch({ dataDir });
    const seen = await electron.evaluate(({ BrowserWindow, screen }) => {
      const bounds = BrowserWindow.getAllWindows()[0]?.getBounds() ?? { x: 0, y: 0, width: 0, height: 0 };
      const { workArea } = screen.getDisplayMatching(bounds);
      return (
        bounds.x >= workArea.x - bounds.width / 2 && bounds.y >= workArea.y && bounds.x < workArea.x + workArea.width
      );
    });
    expect(seen).toBe(true);
  });
}

test('Theme and place of the window are remembered', async ({ launch }) => {
  const first = await launch();
  await first.page.evaluate(() => window.gatehouse.client['app.setTheme']({ theme: 'dark' }));
  const bounds = { x: 60, y: 50, width: 901, height: 655 };
  await first.electron.evaluate(
    ({ BrowserWindow }, wanted) => BrowserWindow.getAllWindows()[0]?.setBounds(wanted),
    bounds,
  );
  await expect
    .poll(() => first.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds()))
    .toEqual(bounds);
  await first.close();
  const second = await launch({ dataDir: first.dataDir });
  expect((await snapshot(second)).status.theme).toBe('dark');
  expect(await second.electron.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('dark');
  expect(await second.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())).toEqual(
    bounds,
  );
});

/** Answers the native question that comes, with its first button, and keeps what was asked. */
async function answerQuestions({ electron }: Gatehouse): Promise<() => Promise<readonly string[]>> {
  await electron.evaluate(({ dialog }) => {
    const asked: string[] = [];
    (globalThis as unknown as { asked: string[] }).asked = asked;
    dialog.showMessageBox = (async (_window: unknown, options: { message: string }) => {
      asked.push(options.message);
      return { response: 0, checkboxChecked: false };
    }) as typeof dialog.showMessageBox;
  });
  return () => electron.evaluate(() => (globalThis as unknown as { asked: string[] }).asked);
}

for (const [what, how, question] of [
  ['crashes', 'crash', 'The window stopped working'],
  ['hangs', 'hang', 'The window does not answer'],
] as const) {
  test(`A page that ${what} is offered a reload, and shows everything again`, async ({ gatehouse }) => {
    const { electron, page } = gatehouse;
    const asked = await answerQuestions(gatehouse);
    const crashed = page.waitForEvent('crash');
    await electron.evaluate(({ BrowserWindow }, wanted) => {
      const [window] = BrowserWindow.getAllWindows();
      if (wanted === 'crash') window?.webContents.forcefullyCrashRenderer();
      // What Chromium says of a page that does not take its input for half a minute.
      else window?.emit('unresponsive');
    }, how);
    await crashed;
    await expect.poll(asked).toEqual([question]);
    const drawn = () =>
      electron.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(
          "document.querySelector('#root')?.childElementCount ?? 0",
        ),
      );
    await expect.poll(drawn).toBeGreaterThan(0);
  });
}

test('An error that nobody caught is logged and shown, and the app goes on', async ({ gatehouse }) => {
  await gatehouse.electron.evaluate(() => {
    setTimeout(() => {
      throw new Error('on purpose');
    });
    void Promise.reject(new Error('rejected on purpose'));
  });
  await expect
    .poll(async () => (await snapshot(gatehouse)).notices.map(({ title }) => title))
    .toContain('Something went wrong inside Gatehouse');
  await expect(gatehouse.page.getByText('Something went wrong inside Gatehouse').first()).toBeVisible();
  const log = readFileSync(join(gatehouse.dataDir, 'logs', 'gatehouse.log'), 'utf8');
  expect(log).toContain('on purpose');
  expect(log).toContain('rejected on purpose');
});

test('The menu leads to every place by its shortcut', async ({ gatehouse }) => {
  const items = await gatehouse.electron.evaluate(({ Menu }) => {
    const go = Menu.getApplicationMenu()?.items.find(({ label }) => label === '&Go');
    return go?.submenu?.items.map(({ label, accelerator }) => [label, accelerator]);
  });
  expect(items).toEqual([
    ['Activity', 'CmdOrCtrl+1'],
    ['Conversation', 'CmdOrCtrl+2'],
    ['Compose', 'CmdOrCtrl+3'],
    ['History', 'CmdOrCtrl+4'],
    ['Tools', 'CmdOrCtrl+5'],
    ['Agents', 'CmdOrCtrl+6'],
    ['Rules', 'CmdOrCtrl+7'],
    ['Health', 'CmdOrCtrl+8'],
    ['Settings', 'CmdOrCtrl+9'],
  ]);
  await gatehouse.electron.evaluate(({ Menu, BrowserWindow }) => {
    const go = Menu.getApplicationMenu()?.items.find(({ label }) => label === '&Go');
    const history = go?.submenu?.items[3];
    history?.click(undefined, BrowserWindow.getAllWindows()[0], undefined);
  });
  await expect(
    gatehouse.page.getByRole('table', { name: 'Calls' }).or(gatehouse.page.getByRole('searchbox')),
  ).toBeVisible();
});

test('Reads of a data folder that holds something strange harm nothing', async ({ launch }) => {
  const dataDir = makeFolder('strange');
  mkdirSync(join(dataDir, 'window-state.json'));
  writeFileSync(join(dataDir, 'recent-workspaces.json'), '{"0":"/","length":1}');
  writeFileSync(join(dataDir, 'secrets.json'), '[[[[');
  const app = await launch({ dataDir, files: null });
  expect((await snapshot(app)).recentWorkspaces).toEqual([]);
  await expect(app.page.getByRole('button', { name: 'Open workspace…' })).toBeVisible();
});
