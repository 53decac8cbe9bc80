import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, makeFolder, projectDir, test, writeFiles } from './app.js';

const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const NOISE = /^\[.*\n?/gm;

interface Started {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  readonly ended: Promise<number | null>;
}

/** On a machine that has no display, as a service is started. */
function start(command: string, args: readonly string[]): Started {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, XAUTHORITY: ___, ...env } = process.env;
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env, cwd: projectDir });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, stderr: () => stderr.replaceAll(NOISE, ''), ended };
}

const childrenOf = (pid: number | undefined): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        const isChild = status.includes(`\nPPid:\t${pid}\n`) && !/^State:\tZ/mu.test(status);
        return isChild ? [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
      } catch {
        return [];
      }
    });

test.describe('Without a window and a display', () => {
  let dataDir: string;
  let workspace: string;
  let other: string;
  test.beforeEach(() => {
    [dataDir, workspace, other] = [makeFolder('headless'), makeFolder('headless-work'), makeFolder('headless-other')];
    writeFiles(workspace, { 'a.txt': 'alpha\n' });
  });
  test.afterEach(() => {
    for (const folder of [dataDir, workspace, other]) rmSync(folder, { recursive: true, force: true });
  });
  const flags = (folder = workspace) => ['--headless', '--data-dir', dataDir, '--workspace', folder];

  test('The gateway serves, denies at once what would ask, and ends on a word with exit code 0', async () => {
    const app = start(electronExecutable(), [projectDir, ...asRoot, ...flags()]);
    // It takes its own place: the number stays.
    const gateway = await gatewayOf(dataDir, app.child.pid);
    const agent = await connectAgent(gateway);
    const read = await callTool(agent, 'read_file', { path: 'a.txt' });
    expect(read).toMatchObject({ isError: false });
    const write = await callTool(agent, 'write_file', { path: 'b.txt', content: 'x' });
    expect(write).toMatchObject({ isError: true, code: 'NoDecision' });
    expect(existsSync(join(workspace, 'b.txt'))).toBe(false);
    await agent.close();
    // What the program had before it took its own place ends by itself, when it gets to it.
    await expect.poll(() => childrenOf(app.child.pid).filter((line) => line.includes('--type='))).toEqual([]);
    // A second one on the same data hands its folder over; a domain can't be, and then nothing is.
    const domain = ['--domain', join(projectDir, 'resources/domains/calculator')];
    for (const [more, code, open] of [
      [domain, 2, [workspace]],
      [[], 0, [workspace, other]],
    ] as const) {
      const second = start(electronExecutable(), [projectDir, ...asRoot, ...flags(other), ...more]);
      expect(await second.ended).toBe(code);
      expect(second.stderr()).toContain('already');
      const served = async (): Promise<unknown> => {
        const headers = { authorization: `Bearer ${gateway.token}` };
        const status = await fetch(`${gateway.url}/v1/status`, { headers });
        return ((await status.json()) as { readonly workspaces: unknown }).workspaces;
      };
      await expect.poll(served).toEqual(open);
    }
    app.child.kill('SIGTERM');
    expect(await app.ended).toBe(0);
    expect(existsSync(join(dataDir, 'gateway.json'))).toBe(false);
    expect(app.stderr()).toBe(`gatehouse: the gateway serves at ${gateway.url}\n`);
  });

  test('What is wrong in its settings is said on stderr, at the start and when they change', async () => {
    const config = join(dataDir, 'config.toml');
    writeFiles(dataDir, { 'config.toml': '[tools]\nmode = 5\n' });
    const app = start(electronExecutable(), [projectDir, ...asRoot, ...flags()]);
    await gatewayOf(dataDir, app.child.pid);
    const wrong = 'gatehouse: Your settings can’t be used: ';
    await expect.poll(() => app.stderr()).toContain(`${wrong}${config}, line 2: `);
    writeFiles(dataDir, { 'config.toml': '[tools]\nmode = "enabled"\n\n[tools\n' });
    await expect.poll(() => app.stderr()).toContain(`${wrong}${config}, line 4: `);
    app.child.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  test('“npm start” brings no display for it', async () => {
    const app = start(process.execPath.includes('electron') ? 'node' : process.execPath, [
      'scripts/start.mjs',
      ...flags(),
    ]);
    await expect.poll(() => app.stderr(), { timeout: 60_000 }).toContain('the gateway serves at');
    expect(childrenOf(app.child.pid).filter((line) => line.includes('Xvfb'))).toEqual([]);
    app.child.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  test('“npm start” hands its signals on, and ends as the app does', async () => {
    const app = start('npm', ['start', '-s', '--', ...flags()]);
    await expect.poll(() => app.stderr(), { timeout: 60_000 }).toContain('the gateway serves at');
    const { pid } = JSON.parse(readFileSync(join(dataDir, 'gateway.json'), 'utf8')) as { readonly pid: number };
    app.child.kill('SIGTERM');
    expect(await app.ended).toBe(0);
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(existsSync(join(dataDir, 'gateway.json'))).toBe(false);
  });
});
