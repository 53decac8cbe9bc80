import { closeSync, constants, mkdirSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFifoPool, type Fifo } from './fifo-pool.js';
import { openTestRunner } from '../process.test-support.js';

let temporary = '';
beforeEach(async () => {
  temporary = await realpath(await mkdtemp(join(tmpdir(), 'test-temporary-')));
  vi.stubEnv('TMPDIR', temporary);
  vi.stubEnv('XDG_RUNTIME_DIR', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(temporary, { recursive: true, force: true });
});

/** The ways in which somebody, mostly the system, clears up temporary files while the app is open. */
const CLEARED: readonly (readonly [what: string, clear: () => void])[] = [
  ['the pipes', () => each((folder) => inFolder(folder).forEach((file) => rmSync(file, { force: true })))],
  ['the folder', () => each((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))],
  [
    'the pipes, and files are there of their name',
    () =>
      each((folder) =>
        inFolder(folder).forEach((file) => {
          rmSync(file, { force: true });
          writeFileSync(file, '');
        }),
      ),
  ],
  [
    'the folder, and one that others may write to is there',
    () =>
      each((folder) => {
        rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
        mkdirSync(folder, { mode: 0o777 });
      }),
  ],
];
const each = (act: (folder: string) => void): void =>
  readdirSync(temporary).forEach((name) => act(join(temporary, name)));
const inFolder = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));

describe.each(CLEARED)('somebody clears away %s', (_, clear) => {
  it('the next pipe is one that works', async () => {
    const pool = createFifoPool();
    const before = await pool.take();
    expect(before.isThere).toBe(true);
    clear();
    expect(before.isThere).toBe(false);
    before[Symbol.dispose]();
    for (let index = 0; index < 40; index += 1) {
      const fifo = await pool.take();
      expect(fifo.isThere).toBe(true);
      expect(await through(fifo)).toBe('words');
    }
    await pool.dispose();
  });

  it.each(['off', 'required'] as const)('commands go on as before, confinement %s', async (confinement) => {
    await using runner = await openTestRunner();
    const say = () => runner.run('echo out; echo err >&2', { settings: { confinement } });
    const expected = { ending: { kind: 'exited', code: 0 }, stdout: 'out\n', stderr: 'err\n' };
    expect(await say()).toMatchObject(expected);
    // One supervisor waits by now, with a pipe of its own.
    for (let time = 0; time < 2; time += 1) {
      clear();
      expect(await say()).toMatchObject(expected);
    }
    expect(runner.log).toEqual([]);
  });
});

async function through(fifo: Fifo): Promise<string> {
  const writer = openSync(fifo.path, constants.O_WRONLY);
  writeSync(writer, 'words');
  closeSync(writer);
  fifo.letItEnd();
  const words = await text(fifo.readable);
  fifo[Symbol.dispose]();
  return words;
}

describe('where the folder is', () => {
  it('in the place for one person, if it is that; else among the temporary files', async () => {
    const own = join(temporary, 'own');
    mkdirSync(own, { mode: 0o700 });
    const shared = join(temporary, 'shared');
    mkdirSync(shared, { mode: 0o755 });
    for (const [place, expected] of [
      [own, own],
      [shared, temporary],
      [join(temporary, 'nowhere'), temporary],
      ['relative', temporary],
    ] as const) {
      vi.stubEnv('XDG_RUNTIME_DIR', place);
      const pool = createFifoPool();
      const fifo = await pool.take();
      expect(dirname(dirname(fifo.path))).toBe(expected);
      fifo[Symbol.dispose]();
      await pool.dispose();
    }
    expect(readdirSync(own)).toEqual([]);
  });

  it('that it could not be made once is not for ever', async () => {
    vi.stubEnv('TMPDIR', join(temporary, 'later'));
    const pool = createFifoPool();
    await expect(pool.take()).rejects.toThrow('later');
    mkdirSync(join(temporary, 'later'));
    const fifo = await pool.take();
    expect(await through(fifo)).toBe('words');
    await pool.dispose();
  });
});
