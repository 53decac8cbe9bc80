import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clearFolders } from '../../workspace/handles/clear-folders.js';
import { clearAbandonedPipes, createFifoPool } from './fifo-pool.js';
import { clearAbandonedFolders } from './private-folder.js';
import { buildRunnerChild } from '../runner-child-build.test-support.js';

describe('the folder among the temporary files', () => {
  let program = '';
  let temporary = '';
  const apps: ChildProcess[] = [];
  const left: string[] = [];

  beforeAll(async () => {
    temporary = await realpath(await mkdtemp(join(tmpdir(), 'test-temporary-')));
    program = await buildRunnerChild();
  });
  afterAll(async () => {
    for (const app of apps) app.kill('SIGKILL');
    for (const path of [program, temporary, ...left]) await rm(path, { recursive: true, force: true });
  });

  const folders = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('gatehouse-run-'));

  /** An app of its own that runs a command; gives the folder it has made. */
  async function startApp() {
    const before = folders();
    const app = spawn(process.execPath, [program, 'off', 'sleep 600'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', TMPDIR: temporary, XDG_RUNTIME_DIR: '' },
    });
    apps.push(app);
    const [line] = (await once(createInterface({ input: app.stdout }), 'line')) as [string];
    left.push(dirname((JSON.parse(line) as { workspace: string }).workspace));
    const made = folders().filter((name) => !before.includes(name));
    expect(made).toHaveLength(1);
    return { app, name: made[0] ?? '' };
  }
  async function kill(app: ChildProcess): Promise<void> {
    app.kill('SIGKILL');
    await once(app, 'exit');
  }
  /** A start that comes later, with the same temporary files. */
  async function startLater(): Promise<void> {
    vi.stubEnv('TMPDIR', temporary);
    vi.stubEnv('XDG_RUNTIME_DIR', '');
    await clearAbandonedPipes(clearFolders);
    vi.unstubAllEnvs();
  }

  it('is cleared away by the next start once its app was killed, and not before', async () => {
    const [one, other] = [await startApp(), await startApp()];
    await kill(one.app);
    expect(readdirSync(join(temporary, one.name))).toEqual(expect.arrayContaining(['e0', 'e0.ask', 'e31']));
    await startLater();
    expect(folders()).toEqual([other.name]);
    await kill(other.app);
    await startLater();
    expect(folders()).toEqual([]);
  });

  it('is cleared of its own files only, and left where it is not certainly ours', async () => {
    const { app, name } = await startApp();
    await kill(app);
    /** The name that the killed app would have given it. */
    const like = (random: string): string => name.replace(/.{6}$/u, random);
    const outside = await mkdtemp(join(temporary, 'outside-'));
    writeFileSync(join(outside, 'e0'), 'kept');

    symlinkSync(outside, join(temporary, like('aalink')));
    symlinkSync(outside, join(temporary, name, 'e99'));
    mkdirSync(join(temporary, like('shared')), { mode: 0o755 });
    mkdirSync(join(temporary, like('holder')), { mode: 0o700 });
    writeFileSync(join(temporary, like('holder'), 'e0'), '');
    writeFileSync(join(temporary, like('holder'), 'letter.txt'), 'kept');
    const elsewhere = like('placed').replace(/run-.{8}/u, 'run-00000000');
    mkdirSync(join(temporary, elsewhere), { mode: 0o700 });
    const longName = `${name}-and-more`;
    mkdirSync(join(temporary, longName), { mode: 0o700 });
    const kept = [like('aalink'), like('shared'), like('holder'), elsewhere, longName];
    if (process.getuid?.() === 0) {
      mkdirSync(join(temporary, like('nobody')), { mode: 0o700 });
      chownSync(join(temporary, like('nobody')), 65_534, 65_534);
      kept.push(like('nobody'));
    }

    await startLater();
    expect(folders().toSorted()).toEqual(kept.toSorted());
    expect(readdirSync(join(temporary, like('holder')))).toEqual(['letter.txt']);
    expect(existsSync(join(outside, 'e0'))).toBe(true);
  });

  it('costs no start anything when there is nowhere to look', async () => {
    vi.stubEnv('TMPDIR', join(temporary, 'not-there'));
    vi.stubEnv('XDG_RUNTIME_DIR', '');
    await expect(clearAbandonedFolders(clearFolders, () => true)).rejects.toThrow('not-there');
    await createFifoPool().dispose();
    vi.unstubAllEnvs();
  });
});
