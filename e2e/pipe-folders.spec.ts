import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from '@playwright/test';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';
import { ask, callTool, gatewayOf } from './agent.js';
import { expect, type Launch, makeFolder, projectDir, test, writeFiles } from './app.js';
import { expectAccessible, keepScreenshot, lookAt } from './look.js';

const isRoot = process.getuid?.() === 0;
const CONFIG = '[tools.approval]\nmode = "auto"\nallowlist = ["read_file"]\n';
const question = (page: Page) => page.getByRole('alertdialog');
const folders: string[] = [];
test.afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

function project(name: string): string {
  const root = makeFolder(name);
  folders.push(root);
  writeFiles(root, { 'which.txt': `${root}\n` });
  return root;
}

const plainEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      (each): each is [string, string] => each[1] !== undefined && each[0] !== 'ELECTRON_RUN_AS_NODE',
    ),
  );

/** An agent's own client, started in a folder; with roots, it tells them when it is asked. */
async function startedIn(
  dataDir: string,
  cwd: string,
  more: { readonly agent?: string; readonly roots?: () => Promise<readonly string[]> | readonly string[] } = {},
): Promise<Client> {
  const { agent, roots } = more;
  const client = new Client(
    { name: 'made-here', version: '1' },
    { capabilities: roots === undefined ? {} : { roots: {} } },
  );
  if (roots !== undefined)
    client.setRequestHandler('roots/list', async () => ({
      roots: (await roots()).map((uri) => ({ uri })),
    }));
  await client.connect(
    new StdioClientTransport({
      command: electronExecutable(),
      args: [
        projectDir,
        ...(isRoot ? ['--no-sandbox'] : []),
        '--mcp-stdio',
        '--data-dir',
        dataDir,
        ...(agent === undefined ? [] : ['--agent', agent]),
      ],
      env: plainEnvironment(),
      cwd,
      stderr: 'ignore',
    }),
  );
  return client;
}

const which = (client: Client) => callTool(client, 'read_file', { path: 'which.txt' });
const approvals = async (dataDir: string, pid: number | undefined) => {
  const gateway = await gatewayOf(dataDir, pid);
  const { approvals: all } = await ask<{ approvals: Record<string, unknown>[] }>(gateway, '/v1/approvals');
  return { all, status: await ask<Record<string, unknown>>(gateway, '/v1/status') };
};
const open = async (launch: Launch) => {
  const app = await launch({ files: { 'which.txt': 'shown\n' }, config: CONFIG, flags: ['--gateway'] });
  return { ...app, approvals: () => approvals(app.dataDir, app.pid) };
};

test('An agent works where it was started: the window asks once, all that wait go on, and it is opened unasked from then on', async ({
  launch,
}) => {
  const app = await open(launch);
  const { page, dataDir } = app;
  const other = project('other');
  const first = await startedIn(dataDir, other, { agent: 'codex' });
  const second = await startedIn(dataDir, other, { agent: 'codex' });
  const calls = [which(first), which(first), which(second)];
  await expect(question(page)).toContainText(`codex was started in ${other.split('/').at(-1)}. Open it here?`);
  await expect(question(page)).toContainText(other);
  await expect(question(page)).toContainText('3 calls wait');
  const told = await app.approvals();
  expect(told.all).toEqual([
    expect.objectContaining({ for: 'folder', folder: other, agent: 'codex', risk: 'medium', tool: 'read_file' }),
  ]);
  expect(told.status).toMatchObject({ pending: 1, running: 0, workspaces: [app.workspace] });
  await expectAccessible(page);
  await keepScreenshot(page, 'folder-question');
  // Small, and at twice the size, it can be answered without looking for its buttons.
  for (const [width, height, zoom] of [
    [640, 480, 1],
    [1280, 800, 2],
  ] as const) {
    await lookAt(app, width, height, zoom);
    await expect(page.getByRole('button', { name: 'Open', exact: true })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('button', { name: 'Not now' })).toBeInViewport({ ratio: 1 });
    // It takes the page: neither page nor tabs are left beside it.
    await expect(page.getByRole('tablist', { name: 'Workspaces' })).toBeHidden();
    await expectAccessible(page);
    await keepScreenshot(page, `folder-question-${width}-${zoom}`);
  }
  await lookAt(app, 1280, 800, 1);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  for (const call of calls) expect(await call).toMatchObject({ text: `${other}\n`, isError: false });
  await expect(question(page)).toHaveCount(0);
  expect((await app.approvals()).status).toMatchObject({ pending: 0, workspaces: [app.workspace, other] });
  const { tools } = await first.listTools();
  expect(tools.find(({ name }) => name === 'read_file')?.description).toContain(other);
  await Promise.all([first, second].map((client) => client.close()));

  // Another start of the app, and of the agent: it is opened again, until the person closes it.
  await app.close();
  const again = await launch({ dataDir, workspace: app.workspace, flags: ['--gateway'] });
  const third = await startedIn(dataDir, other, { agent: 'codex' });
  expect(await which(third)).toMatchObject({ text: `${other}\n` });
  await again.page.getByRole('tab', { name: other.split('/').at(-1) ?? '' }).click();
  await again.page.keyboard.press('Delete');
  await expect.poll(() => readFileSync(join(dataDir, 'agent-folders.json'), 'utf8')).toContain('"opened":[]');
  expect(await which(third)).toMatchObject({ isError: true });
  const fourth = await startedIn(dataDir, other, { agent: 'codex' });
  const asked = which(fourth);
  await expect(question(again.page)).toBeVisible();
  await expect(again.page.getByRole('button', { name: 'Not now' })).not.toHaveAttribute('aria-disabled');
  await question(again.page).press('Escape');
  expect(await asked).toMatchObject({ isError: true, code: 'DeniedByPerson' });
  await Promise.all([third, fourth].map((client) => client.close()));
});

test('“Not now” ends what waits and what comes later in that pipe; an agent without a name says what it reports as', async ({
  launch,
}) => {
  const app = await open(launch);
  const { page, dataDir } = app;
  const other = project('other');
  const client = await startedIn(dataDir, other);
  const call = which(client);
  await expect(question(page)).toContainText('(reports as made-here 1) was started in');
  await page.getByRole('button', { name: 'Not now' }).click();
  expect(await call).toMatchObject({ isError: true, code: 'DeniedByPerson' });
  expect(await which(client)).toMatchObject({ isError: true, code: 'DeniedByPerson' });
  await expect(question(page)).toHaveCount(0);
  const { calls } = await ask<{ calls: { state: string; code: string }[] }>(
    await gatewayOf(dataDir, app.pid),
    '/v1/calls',
  );
  expect(calls.map(({ state, code }) => [state, code])).toEqual([
    ['DENIED', 'DeniedByPerson'],
    ['DENIED', 'DeniedByPerson'],
  ]);
  // Over a restart of the app, too: nobody is asked again, and nothing waits.
  await app.kill();
  const { page: later } = await launch({ dataDir, workspace: app.workspace, flags: ['--gateway'] });
  await expect.poll(async () => (await which(client)).code, { timeout: 30_000 }).toBe('DeniedByPerson');
  await expect(question(later)).toHaveCount(0);
  // It asks again from another pipe, which can be had enough of.
  const again = await startedIn(dataDir, other);
  const more = which(again);
  await expect(question(later)).toBeVisible();
  await later.getByRole('button', { name: 'Not now' }).click();
  expect(await more).toMatchObject({ code: 'DeniedByPerson' });
  const another = await startedIn(dataDir, other);
  const most = which(another);
  await expect(question(later)).toContainText('It asks again');
  await later.getByRole('button', { name: 'Don’t ask for this folder' }).click();
  expect(await most).toMatchObject({ code: 'DeniedByPerson' });
  const third = await startedIn(dataDir, other);
  expect(await which(third)).toMatchObject({ code: 'DeniedByPerson' });
  await Promise.all([client, again, another, third].map((each) => each.close()));
});

test('A call that waits for its folder is on record before the answer: killed meanwhile, it was asked for, and never runs', async ({
  launch,
}) => {
  const app = await open(launch);
  const other = project('other');
  const client = await startedIn(app.dataDir, other, { agent: 'codex' });
  const lost = Promise.allSettled([which(client), callTool(client, 'write_file', { path: 'a.txt', content: 'a' })]);
  await expect(question(app.page)).toContainText('2 calls wait');
  type Row = Record<'callId' | 'tool' | 'state' | 'code' | 'agent', string | null>;
  const listCalls = async (pid: number | undefined) =>
    (await ask<{ calls: Row[] }>(await gatewayOf(app.dataDir, pid), '/v1/calls')).calls.toSorted((one, next) =>
      (one.tool ?? '').localeCompare(next.tool ?? ''),
    );
  const waiting = await listCalls(app.pid);
  expect(waiting.map(({ tool, state, agent }) => [tool, state, agent])).toEqual([
    ['read_file', 'DECLARED', 'codex'],
    ['write_file', 'DECLARED', 'codex'],
  ]);
  await app.kill();
  await client.close();
  await lost;

  const again = await launch({ dataDir: app.dataDir, workspace: app.workspace, flags: ['--gateway'] });
  expect((await listCalls(again.pid)).map(({ callId, state, code }) => [callId, state, code])).toEqual(
    waiting.map(({ callId }) => [callId, 'ABORTED', 'Interrupted']),
  );
  // Nothing is left to decide, and opening the folder begins none of it.
  await expect(again.page.getByRole('dialog', { name: 'Unfinished work' })).toHaveCount(0);
  await again.page.evaluate((path) => window.gatehouse.client['workspace.open']({ path }), other);
  await expect(again.page.getByRole('tab')).toHaveCount(2);
  const gateway = await gatewayOf(app.dataDir, again.pid);
  expect(await ask(gateway, '/v1/status')).toMatchObject({ pending: 0, running: 0, recovering: false });
  expect(existsSync(join(other, 'a.txt'))).toBe(false);
  expect(await ask(gateway, '/v1/audit/verify')).toMatchObject({ ok: true });
});

test('Two pipes in two folders at once, each by its first root; what lies, or comes too late, counts as none', async ({
  launch,
}) => {
  const app = await open(launch);
  const { page, dataDir } = app;
  const [one, two, cwd] = [project('one'), project('two'), project('cwd')];
  mkdirSync(join(one, 'in'));
  symlinkSync(two, join(one, 'in', 'link'));
  const [first, second] = await Promise.all([
    startedIn(dataDir, cwd, { agent: 'one', roots: () => [pathToFileURL(one).href, pathToFileURL(two).href] }),
    startedIn(dataDir, cwd, { agent: 'two', roots: () => [pathToFileURL(join(one, 'in', 'link')).href] }),
  ]);
  const calls = [which(first), which(second)];
  for (let left = 2; left > 0; left -= 1) {
    await expect.poll(async () => (await app.approvals()).all.length).toBe(left);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
  }
  expect((await Promise.all(calls)).map(({ text }) => text)).toEqual([`${one}\n`, `${two}\n`]);
  // The other's folder is no place of its own, and it is told so.
  const across = await callTool(first, 'read_file', { path: join(two, 'which.txt') });
  expect(across).toMatchObject({ isError: true, code: 'PathOutsideSandbox' });
  expect(across.text).toContain(`${two} is open, too: start the agent there`);

  let comeLate: (roots: readonly string[]) => void = () => undefined;
  const late = new Promise<readonly string[]>((resolve) => (comeLate = resolve));
  const liars = [
    await startedIn(dataDir, cwd, { agent: 'a', roots: () => [pathToFileURL(join(one, 'which.txt')).href] }),
    await startedIn(dataDir, cwd, { agent: 'b', roots: () => [`file:///${'x'.repeat(3_000_000)}`] }),
    await startedIn(dataDir, cwd, { agent: 'c', roots: () => [`file:///${'x'.repeat(10_000_000)}`] }),
    await startedIn(dataDir, cwd, { agent: 'd', roots: () => late }),
    await startedIn(dataDir, cwd, { agent: 'e', roots: () => Promise.reject(new Error('none')) }),
  ];
  const asked = liars.map(which);
  await expect.poll(async () => (await app.approvals()).all.map(({ folder }) => folder)).toEqual(liars.map(() => cwd));
  comeLate([pathToFileURL(one).href]);
  // Opened once, by whatever way, all go on that wait for it.
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  for (const call of asked) expect(await call).toMatchObject({ text: `${cwd}\n` });
  await Promise.all([first, second, ...liars].map((client) => client.close()));
});

test('What is no project is not offered, and a folder that went away is not replaced by another', async ({
  launch,
}) => {
  const app = await open(launch);
  const { page, dataDir, workspace } = app;
  const other = project('other');
  for (const cwd of ['/', '/usr', dataDir, join(workspace, '..')]) {
    const client = await startedIn(dataDir, realpathSync(cwd));
    const refused = await which(client);
    expect(refused, cwd).toMatchObject({ isError: true, code: 'NotPermitted' });
    expect(refused.text).toContain('start the agent in a project folder');
    await client.close();
  }
  await expect(question(page)).toHaveCount(0);
  const client = await startedIn(dataDir, other, { agent: 'codex' });
  const call = which(client);
  await expect(question(page)).toBeVisible();
  rmSync(other, { recursive: true });
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  expect(await call).toMatchObject({ isError: true, code: 'NotPermitted' });
  await client.close();
});

test('A press within 500 ms counts for nothing, a caller that leaves takes its question along, and kill -9 loses none', async ({
  launch,
}) => {
  const app = await open(launch);
  const { page, dataDir } = app;
  const other = project('other');
  const client = await startedIn(dataDir, other, { agent: 'codex' });
  const gone = new AbortController();
  const given = client.callTool({ name: 'read_file', arguments: { path: 'which.txt' } }, { signal: gone.signal });
  await expect(question(page)).toBeVisible();
  gone.abort();
  await expect(given).rejects.toThrow();
  await expect(question(page)).toHaveCount(0);

  const call = which(client);
  // As soon as it is there, in the page's own time.
  const early = await page.evaluate(async () => {
    const found = (): HTMLElement | undefined =>
      [...document.querySelectorAll<HTMLElement>('[role="alertdialog"] button')].find(
        (each) => each.textContent === 'Open',
      );
    while (found() === undefined) await new Promise((again) => requestAnimationFrame(again));
    found()?.click();
    return found()?.getAttribute('aria-disabled') ?? null;
  });
  expect(early).toBe('true');
  await expect(question(page)).toBeVisible();
  await app.kill();
  expect(await call).toMatchObject({ isError: true, code: 'Interrupted' });

  const again = await launch({ dataDir, workspace: app.workspace, flags: ['--gateway'] });
  await expect.poll(async () => (await client.listTools()).tools.length).toBeGreaterThan(0);
  const later = which(client);
  await expect(question(again.page)).toContainText(other);
  await again.page.getByRole('button', { name: 'Open', exact: true }).click();
  expect(await later).toMatchObject({ text: `${other}\n` });
  await client.close();
});

test('Without a window a folder that isn’t open has no decision, and the answer says what to do', async () => {
  const dataDir = project('headless');
  const app = spawn(
    electronExecutable(),
    [projectDir, ...(isRoot ? ['--no-sandbox'] : []), '--headless', '--data-dir', dataDir],
    { stdio: 'ignore', env: plainEnvironment() },
  );
  const ended = once(app, 'close');
  try {
    await gatewayOf(dataDir, app.pid);
    const client = await startedIn(dataDir, project('other'), { agent: 'codex' });
    const answer = await which(client);
    expect(answer).toMatchObject({ isError: true, code: 'NoDecision' });
    expect(answer.text).toContain('--workspace');
    const { calls } = await ask<{ calls: object[] }>(await gatewayOf(dataDir, app.pid), '/v1/calls');
    expect(calls).toMatchObject([{ state: 'DENIED', code: 'NoDecision' }]);
    await client.close();
  } finally {
    app.kill();
    await ended;
  }
});

const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => {
      try {
        return readFileSync(`/proc/${name}/status`, 'utf8').includes(`\nPPid:\t${pid}\n`) ? [Number(name)] : [];
      } catch {
        return [];
      }
    });
const treeOf = (pid: number): readonly number[] => [pid, ...childrenOf(pid).flatMap(treeOf)];

test('The app that a pipe started outlives its client, all of whose processes are killed', async () => {
  const dataDir = project('started');
  writeFiles(dataDir, { 'config.toml': `${CONFIG}[gateway]\nenabled = true\n` });
  const folder = project('work');
  // As clients are: a program whose child the pipe is. It says what the app answered to a call.
  const flags = [projectDir, ...(isRoot ? ['--no-sandbox'] : [])];
  const pipe = [...flags, '--mcp-stdio', '--data-dir', dataDir, '--workspace', folder];
  const program = `
    const child = require('node:child_process').spawn(${JSON.stringify(electronExecutable())}, ${JSON.stringify(pipe)}, { stdio: ['pipe', 'pipe', 'ignore'] });
    const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    child.stdout.pipe(process.stdout);
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'killed', version: '1' } } });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'read_file', arguments: { path: 'which.txt' } } });
  `;
  const client = spawn(process.execPath, ['-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: plainEnvironment(),
  });
  let said = '';
  client.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await expect.poll(() => said, { timeout: 60_000 }).toContain(folder);
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'gateway.json'), 'utf8')) as { pid: number };
  try {
    const tree = treeOf(client.pid ?? 0);
    expect(tree.length).toBeGreaterThan(1);
    for (const each of tree.toReversed()) process.kill(each, 'SIGKILL');
    await once(client, 'close');
    // Its own process, not the pipe's: it goes on serving.
    await new Promise((later) => setTimeout(later, 1000));
    const { calls } = await ask<{ calls: object[] }>(await gatewayOf(dataDir, pid), '/v1/calls');
    expect(calls).toMatchObject([{ tool: 'read_file', state: 'COMPLETED' }]);
    const again = await startedIn(dataDir, folder);
    expect((await which(again)).text).toBe(`${folder}\n`);
    await again.close();
  } finally {
    process.kill(pid);
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 20_000 }).toBe(false);
  }
});
