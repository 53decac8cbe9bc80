import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { expect, test } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from '../agent.js';
import { makeFolder, projectDir } from '../app.js';
import { openKeyStore } from '../key-store.js';
import { openVirtualScreen, type VirtualScreen } from './virtual-screen.js';

const program = join(projectDir, 'dist', 'linux-unpacked', 'gatehouse');
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

let screen: VirtualScreen;
let folder: string;

test.beforeAll(async () => {
  test.setTimeout(600_000);
  execFileSync(process.execPath, [join(projectDir, 'scripts', 'package.mjs'), '--dir'], {
    cwd: projectDir,
  });
  screen = await openVirtualScreen();
});
test.afterAll(async () => await screen.end());
test.beforeEach(() => {
  folder = makeFolder('packaged');
});
test.afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(program, [...asRoot, '--data-dir', join(folder, 'data'), ...args], {
    cwd: folder,
    env: { ...process.env, DISPLAY: screen.display, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function outcome(child: ChildProcess): Promise<{ code: number | null; text: string }> {
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text };
}

test('Its fuses are flipped', async () => {
  const wire = await getCurrentFuseWire(program);
  const expected = {
    [FuseV1Options.RunAsNode]: FuseState.DISABLE,
    [FuseV1Options.EnableCookieEncryption]: FuseState.ENABLE,
    [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: FuseState.DISABLE,
    [FuseV1Options.EnableNodeCliInspectArguments]: FuseState.DISABLE,
    [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: FuseState.ENABLE,
    [FuseV1Options.OnlyLoadAppFromAsar]: FuseState.ENABLE,
    [FuseV1Options.GrantFileProtocolExtraPrivileges]: FuseState.DISABLE,
  };
  for (const [fuse, state] of Object.entries(expected)) expect(wire[Number(fuse) as FuseV1Options], fuse).toBe(state);
});

test('It starts, serves its status with the journal working, draws its window, and ends cleanly', async () => {
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  const child = start(['--workspace', workspace, '--gateway']);
  const ended = outcome(child);
  const file = join(folder, 'data', 'gateway.json');
  await expect.poll(() => existsSync(file), { timeout: 30_000 }).toBe(true);
  const { url, token } = JSON.parse(readFileSync(file, 'utf8')) as { url: string; token: string };
  const response = await fetch(`${url}/v1/status`, { headers: { authorization: `Bearer ${token}` } });
  expect(await response.json()).toMatchObject({ workspace, journal: 'ok', mode: 'enabled' });
  await expect.poll(() => screen.colours(), { timeout: 30_000 }).toBeGreaterThan(20);
  mkdirSync(join(projectDir, 'artifacts', 'screens'), { recursive: true });
  writeFileSync(join(projectDir, 'artifacts', 'screens', 'packaged.png'), screen.picture());
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  expect(existsSync(file)).toBe(false);
});

test('A command runs in it: the terminal, the parser and the confinement came along', async () => {
  const [workspace, data] = [join(folder, 'workspace'), join(folder, 'data')];
  mkdirSync(workspace);
  mkdirSync(data);
  const allowed =
    '[tools.approval]\ndenylist = []\n[[tools.approval.confirmed]]\ntool = "run_command"\nprefix = "echo"\n';
  writeFileSync(join(data, 'config.toml'), allowed);
  const child = start(['--workspace', workspace, '--gateway']);
  const ended = outcome(child);
  const agent = await connectAgent(await gatewayOf(data, child.pid));
  expect(await callTool(agent, 'run_command', { command: 'echo from the package' })).toMatchObject({
    text: expect.stringContaining('from the package'),
    isError: false,
  });
  await agent.close();
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('Tools are found by meaning in it: the model came along, and what runs it', async () => {
  const [workspace, data] = [join(folder, 'workspace'), join(folder, 'data')];
  mkdirSync(workspace);
  const child = start(['--workspace', workspace, '--gateway']);
  const ended = outcome(child);
  const agent = await connectAgent(await gatewayOf(data, child.pid));
  const { structured } = await callTool(agent, 'find_tools', { query: 'show me what is written in the README' });
  expect(structured).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ name: 'read_file' })]) });
  expect(structured).not.toHaveProperty('search');
  await agent.close();
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

for (const flag of [
  '--inspect=0',
  '--inspect-brk=0',
  '--remote-debugging-port=0',
  '--remote-debugging-pipe',
  '--js-flags=--expose-gc',
  '--password-store=basic',
]) {
  test(`It refuses ${flag}`, async () => {
    const { code, text } = await outcome(start([flag]));
    expect(code).toBe(2);
    expect(text).toContain('Unknown flag');
    expect(text).not.toMatch(/Debugger listening|DevTools listening/);
  });
}

test('It keeps its last signed number in the system’s own store', async () => {
  await using keyStore = await openKeyStore();
  const child = start(['--gateway', ...keyStore.options.flags], keyStore.options.env);
  const ended = outcome(child);
  const gateway = await gatewayOf(join(folder, 'data'), child.pid);
  expect(await ask(gateway, '/v1/audit/verify')).toMatchObject({ ok: true, signed: true, olderCopy: { told: true } });
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('It can’t be made a plain Node, nor told to load something else', async () => {
  const script = join(folder, 'evil.cjs');
  const trace = join(folder, 'ran');
  writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '')`);
  await outcome(start([script], { ELECTRON_RUN_AS_NODE: '1' }));
  await outcome(start(['--bogus'], { NODE_OPTIONS: `--require ${script}` }));
  expect(existsSync(trace)).toBe(false);
});

test('What is in it is what runs: one archive, the native code beside it, no sources', () => {
  const resources = join(projectDir, 'dist', 'linux-unpacked', 'resources');
  expect(readdirSync(resources).toSorted()).toEqual(['app.asar', 'app.asar.unpacked']);
  const unpacked = readdirSync(join(resources, 'app.asar.unpacked'), { recursive: true }).map(String);
  expect(unpacked.some((name) => name.endsWith('pty.node'))).toBe(true);
  expect(unpacked.some((name) => name.endsWith('linux-x64.node'))).toBe(true);
  expect(unpacked.some((name) => name.endsWith('keyring.linux-x64-gnu.node'))).toBe(true);
  expect(unpacked.filter((name) => /\.(?:ts|cc|gyp)$/.test(name))).toEqual([]);
  // Of the sentence model's runtime what this machine runs, and nothing for others.
  expect(
    unpacked
      .filter((name) => name.includes('onnxruntime') && /\.(?:node|so|dylib|dll)/u.test(name))
      .map((name) => basename(name))
      .toSorted(),
  ).toEqual(['libonnxruntime.so.1', 'onnxruntime_binding.node']);
});
