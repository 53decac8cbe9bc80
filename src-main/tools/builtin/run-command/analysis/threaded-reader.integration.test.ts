import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createCommandReader } from './command-reader.js';
import { createThreadedReader } from './threaded-reader.js';

const ENTRY = new URL('./reader-thread.test-support.ts', import.meta.url);
const LONGEST = 131_071;

/** A patient reader: only what takes minutes is given up. */
const patient = { entry: ENTRY, patienceMs: 120_000 };
const words = (findings: readonly { readonly explanation: string }[]): string[] =>
  findings.map(({ explanation }) => explanation);

describe('commands are read on a thread of their own', () => {
  it('as they are read anywhere, each its own way, however many ask', async () => {
    const [reader, plain] = [createThreadedReader(patient), createCommandReader()];
    const commands = ['rm -rf a', 'npm test', `sh -c 'rm -rf b'`, 'cp a /etc/x', ''];
    const all = await Promise.all(commands.map((command) => reader.read(command, ['/w'])));
    expect(all).toEqual(await Promise.all(commands.map((command) => plain.read(command, ['/w']))));
    expect(await reader.analyze('npm test')).toEqual(await plain.analyze('npm test'));
  });

  it('a command that takes minutes could not be looked at', async () => {
    const reader = createThreadedReader({ entry: ENTRY, patienceMs: 300 });
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    const hard = await reader.read(')'.repeat(LONGEST));
    clearInterval(counting);
    // Whoever asked had its thread to itself all the while.
    expect(turns).toBeGreaterThan(0);
    expect(words(hard.findings)).toEqual(['couldn’t be checked (it takes too long); read it closely']);
    expect(hard.analysis).toMatchObject({ read: null, dangers: [expect.any(String)] });
  });

  it('what hides in it is told all the same', async () => {
    const reader = createThreadedReader({ entry: ENTRY, patienceMs: 1 });
    const { findings } = await reader.read(`${')'.repeat(LONGEST - 10)}\u{200b}${' '.repeat(50)}x`);
    expect(words(findings).join()).toMatch(/takes too long[\s\S]*is invisible[\s\S]*easy to overlook/u);
  });

  it('a new thread reads the next command', async () => {
    const impatient = createThreadedReader({ entry: ENTRY, patienceMs: 1 });
    await impatient.read('<'.repeat(LONGEST));
    // Each of these may be given up too, but it is answered.
    for (const command of ['ls', 'ls']) expect((await impatient.read(command)).findings.length).toBeLessThanOrEqual(1);
  });

  it('one that fails over a command is replaced', async () => {
    const fails = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, args: [command] }) => {
        if (command === 'bad') process.exit();
        parentPort.postMessage({ id, ok: true, value: { findings: [], analysis: null } });
      });`;
    const reader = createThreadedReader({
      ...patient,
      entry: new URL(`data:text/javascript,${encodeURIComponent(fails)}`),
    });
    const [bad, good] = await Promise.all([reader.read('bad'), reader.read('good')]);
    expect(words(bad.findings)).toEqual(['couldn’t be checked (its reader gave up); read it closely']);
    expect(good.findings).toEqual([]);
  });

  it('one that ended while nobody asked is replaced, and there is never more than one', async () => {
    const ends = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, args: [command] }) => {
        if (command === 'hang') for (;;);
        parentPort.postMessage({ id, ok: true, value: { findings: [], analysis: null } });
        if (command === 'end') process.exit();
      });`;
    const alive = new Set<Worker>();
    const count = (worker: Worker): void => {
      alive.add(worker);
      worker.once('exit', () => alive.delete(worker));
    };
    process.on('worker', count);
    const entry = new URL(`data:text/javascript,${encodeURIComponent(ends)}`);
    const reader = createThreadedReader({ entry, patienceMs: 4000 });
    for (const [command, left] of [
      ['end', 0],
      ['ls', 1],
      ['hang', 0],
      ['ls', 1],
      ['hang', 0],
      ['ls', 1],
    ] as const) {
      expect(words((await reader.read(command)).findings)).toHaveLength(command === 'hang' ? 1 : 0);
      await expect.poll(() => alive.size).toBe(left);
    }
    process.off('worker', count);
  });

  it('a thread that can’t be had is told as what it is', async () => {
    const reader = createThreadedReader({ ...patient, entry: new URL('file:///nonexistent.mjs') });
    for (let time = 0; time < 2; time += 1) {
      expect(words((await reader.read('ls')).findings)[0]).toContain('read it closely');
    }
  });

  it.each([
    ['substitutions in substitutions', '$(', ')'],
    ['brackets in brackets', '(', ')'],
    ['expansions in expansions', '${a:-', '}'],
    ['sums in sums', '$((', '))'],
    ['quotes in quotes', '"$(', ')"'],
  ])('is answered for the deepest nesting: %s', async (_, open, close) => {
    const reader = createThreadedReader(patient);
    const depth = Math.floor((LONGEST - 2) / (open.length + close.length));
    const { analysis } = await reader.read(`${open.repeat(depth)}ls${close.repeat(depth)}`);
    expect(analysis.read).toBeNull();
    expect(words((await reader.read('rm -rf x')).findings)).toEqual(['deletes x and everything in it']);
  });
});
