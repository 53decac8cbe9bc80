import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';
import { expect, makeFolder, projectDir, test } from './app.js';
import { approveAll, denyAll, sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const NOISE = /^(?:\[|libva|MESA).*\n?/gm;

interface Played {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
  /** In its folder for temporary files. */
  readonly left: readonly string[];
}

async function start(executable: string, ...flags: readonly string[]): Promise<Played> {
  const temporary = makeFolder('temporary');
  const child = spawn(executable, [projectDir, ...asRoot, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: temporary },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const left = readdirSync(temporary);
  rmSync(temporary, { recursive: true });
  return { code, lines: stdout.trimEnd().split('\n'), stderr: stderr.replaceAll(NOISE, ''), left };
}

const CALLS =
  /^(?:list_directory|read_file|apply_patch|write_file|run_command|undo_changes) [A-Z_]+ (?:success|denied|error|timeout) /;
/** The app as it was built, with a sample of its own: the runtime starts what lies beside it. */
function appWith(changes: Readonly<Record<string, string | null>>): string {
  const project = mkdtempSync(join(projectDir, 'artifacts', 'other-sample-'));
  made.push(project);
  for (const name of ['out', 'node_modules', 'package.json']) symlinkSync(join(projectDir, name), join(project, name));
  const sample = join(project, 'resources', 'demo');
  cpSync(join(projectDir, 'resources', 'demo'), sample, { recursive: true });
  for (const [name, content] of Object.entries(changes)) {
    if (content === null) rmSync(join(sample, name), { recursive: true });
    else writeFileSync(join(sample, name), content);
  }
  const [executable, runtime] = [electronExecutable(), join(project, 'runtime')];
  mkdirSync(join(runtime, 'resources'), { recursive: true });
  symlinkSync(project, join(runtime, 'resources', 'app'));
  for (const name of readdirSync(dirname(executable)).filter((each) => each !== 'resources')) {
    // By a link it would find itself where it really lies.
    const own = name === basename(executable);
    (own ? linkSync : symlinkSync)(join(dirname(executable), name), join(runtime, name));
  }
  return join(runtime, basename(executable));
}

const made: string[] = [];
test.afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

test('--demo --exit plays to its end by itself: each call on a line, the audit, and 0', async () => {
  const { code, lines, stderr, left } = await start(electronExecutable(), '--demo', '--exit');
  expect(stderr).toBe('');
  expect(lines.filter((line) => CALLS.test(line))).toEqual([
    expect.stringMatching(/^list_directory COMPLETED success \{"path":"\.",/),
    'read_file COMPLETED success # Adds up the prices.',
    'read_file COMPLETED success # Says whether total.sh adds up what prices.txt has.',
    'apply_patch COMPLETED success modified: total.sh',
    expect.stringMatching(/^write_file DENIED denied The path “\.\.\/outside\.txt” is refused/),
    'run_command COMPLETED success The total is right.',
    expect.stringMatching(/^undo_changes COMPLETED success /),
    'read_file COMPLETED success # Adds up the prices.',
  ]);
  expect(lines.filter((line) => line.startsWith('You: '))).toHaveLength(2);
  expect(lines.filter((line) => line.startsWith('Demo: '))).toHaveLength(7);
  expect(lines.at(-2)).toMatch(/^audit: \d+ events, none changed or missing; head [0-9a-f]{64}$/);
  expect(lines.at(-1)).toBe('demo: 8 calls, 8 as expected');
  expect(code).toBe(0);
  // Nothing of it is left.
  expect(left).toEqual([]);
});

test('A demo whose results differ says which, and exits with 1', async () => {
  const wrong = await start(appWith({ 'prices.txt': 'apples 3\nbread 2\ncheese 8\n' }), '--demo', '--exit');
  expect(wrong.lines).toContain('  expected: run_command COMPLETED success The total is right.');
  expect(wrong.lines.filter((line) => line.startsWith('differs: '))).toEqual([
    expect.stringMatching(/^differs: run_command ABORTED error /),
  ]);
  expect(wrong.lines.at(-1)).toBe('demo: 8 calls, 7 as expected');
  expect(wrong.code).toBe(1);

  // Nothing there to be patched: the script can’t go on to undo it.
  const unpatchable = await start(appWith({ 'total.sh': 'echo "Total: 0"\n' }), '--demo', '--exit');
  expect(unpatchable.lines.join('\n')).toContain('apply_patch ROLLED_BACK error');
  expect(unpatchable.code).toBe(1);
  expect(unpatchable.left).toEqual([]);

  const gone = await start(appWith({ '.': null }), '--demo', '--exit');
  expect(gone.stderr).toMatch(/^gatehouse: The demo can’t have a folder to play in: [^\n]+\n$/);
  expect(gone.code).toBe(2);
  expect(gone.left).toEqual([]);
});

test('What does not go together is refused in one line, with exit code 2', async () => {
  for (const flags of [['--exit'], ['--demo', '--workspace', tmpdir()], ['--demo', '--exit', '--mcp-stdio']]) {
    const { code, stderr, lines } = await start(electronExecutable(), ...flags);
    expect(stderr, flags.join(' ')).toMatch(/^gatehouse: --[^\n]+\n$/);
    expect(lines).toEqual(['']);
    expect(code).toBe(2);
  }
});

test('A data folder that is in use is not played in', async ({ gatehouse }) => {
  const { code, stderr } = await start(electronExecutable(), '--demo', '--exit', '--data-dir', gatehouse.dataDir);
  expect(stderr).toMatch(/^gatehouse: Gatehouse runs on [^\n]+ already\.[^\n]+\n$/);
  expect(code).toBe(2);
});

test('--demo opens on it: it begins by itself, asks the person, and what they approve is done and undone', async ({
  launch,
}) => {
  const app = await launch({ files: null, flags: ['--demo'] });
  const { page } = app;
  await expect(page.getByRole('heading', { level: 1, name: 'Conversation' })).toBeVisible();
  const log = page.getByRole('log', { name: 'Conversation' });
  await expect(page.getByText('Demo', { exact: true }).first()).toBeVisible();
  await expect(log).toContainText('This is a demo');
  await expect(sheet(page)).toContainText('total.sh');
  await keepScreenshot(page, 'demo-patch');
  await approveAll(page);
  await expect(sheet(page)).toContainText('sh check.sh');
  const folder = await page.evaluate(async () => {
    const answer = await window.gatehouse.client['app.snapshot']({});
    return answer.ok ? (answer.value.workspace?.path ?? '') : '';
  });
  expect(readFileSync(join(folder, 'total.sh'), 'utf8')).toContain('sum + price');
  await approveAll(page);
  await expect(log).toContainText('That was the demo.');
  expect(readFileSync(join(folder, 'total.sh'), 'utf8')).toContain('sum - price');
  expect(existsSync(join(folder, '..', 'outside.txt'))).toBe(false);
  await expectAccessible(page);
  await keepScreenshot(page, 'demo-over');
  expect(await app.close()).toBe(0);
  expect(existsSync(folder)).toBe(false);
  // The person's own settings are as they were.
  expect(existsSync(join(app.dataDir, 'config.toml'))).toBe(false);
});

test('Where the person denies the patch, nothing is undone, and the demo goes on', async ({ launch }) => {
  const { page } = await launch({ files: null, flags: ['--demo'] });
  const log = page.getByRole('log', { name: 'Conversation' });
  await expect(sheet(page)).toContainText('total.sh');
  await denyAll(page);
  await expect(log).toContainText('The patch was not applied.');
  await expect(sheet(page)).toContainText('sh check.sh');
  await approveAll(page);
  await expect(log).toContainText('The check did not pass.');
});

test('“Try the demo” opens it beside the person’s folder, by their own settings, and leaves nothing behind', async ({
  launch,
}) => {
  const app = await launch({ files: { 'mine.txt': 'mine\n' } });
  const { page, workspace, dataDir } = app;
  await goTo(page, 'Conversation');
  await page.getByRole('button', { name: 'Try the demo' }).press('Enter');
  const log = page.getByRole('log', { name: 'Conversation' });
  await expect(log).toContainText('This is a demo');
  const tabs = page.getByRole('tablist', { name: 'Workspaces' }).getByRole('tab');
  await expect(tabs).toHaveCount(2);
  await approveAll(page);
  // Commands are off by default: it is refused like anybody's.
  await expect(log).toContainText('The check did not pass.');
  await expect(log).toContainText('That was the demo.');
  await keepScreenshot(page, 'demo-tried');
  const folder = await page.evaluate(async () => {
    const answer = await window.gatehouse.client['app.snapshot']({});
    return answer.ok ? (answer.value.workspace?.path ?? '') : '';
  });
  expect(basename(folder)).toBe('corner-shop');
  expect(readFileSync(join(folder, 'total.sh'), 'utf8')).toContain('sum - price');
  expect(readFileSync(join(workspace, 'mine.txt'), 'utf8')).toBe('mine\n');
  expect(await app.close()).toBe(0);
  expect(existsSync(folder)).toBe(false);
  const again = await launch({ dataDir, workspace });
  const recent = await again.page.evaluate(async () => {
    const answer = await window.gatehouse.client['app.snapshot']({});
    return answer.ok ? answer.value.recentWorkspaces.map(({ path }) => path) : [];
  });
  expect(recent).toEqual([workspace]);
});

test('A message in one’s own folder with the demo as provider leads to the settings and to the demo', async ({
  launch,
}) => {
  const { page } = await launch({ config: '[model]\nprovider = "demo"\n' });
  await goTo(page, 'Conversation');
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Hello');
  await page.keyboard.press('Enter');
  const log = page.getByRole('log', { name: 'Conversation' });
  const told = log.getByRole('alert').filter({ hasText: 'No model is connected' });
  await expect(told).toBeVisible();
  await expect(told.getByRole('button', { name: 'Open model settings' })).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'demo-offered');
  await told.getByRole('button', { name: 'Try the demo' }).click();
  await expect(page.locator('.gh-demo').first()).toBeVisible();
});
