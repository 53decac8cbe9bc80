import { expect, it, onTestFinished, vi } from 'vitest';
import type { HeldProgram } from '../../domain/ports/sources/held-program.js';
import { playProgram } from './hooks.test-support.js';
import { MAX_OUTPUT_BYTES, runHook } from './run-hook.js';

const run = (program: Promise<HeldProgram>, signal = new AbortController().signal, onStart = () => undefined) =>
  runHook(
    () => {
      onStart();
      return program;
    },
    'line\n',
    { timeoutMs: 60_000, signal },
  );

it('is not started for what was taken back, and ended where that came while it started or ran', async () => {
  const started = vi.fn(() => undefined);
  const { program } = playProgram();
  expect(await run(Promise.resolve(program), AbortSignal.abort(), started)).toMatchObject({
    failed: 'it was stopped before it was done',
  });
  expect(started).not.toHaveBeenCalled();

  for (const isStarting of [true, false]) {
    const stop = new AbortController();
    const one = playProgram(['{"decision":"allow"}']);
    const start = Promise.withResolvers<HeldProgram>();
    const end = run(start.promise, stop.signal);
    if (isStarting) stop.abort();
    start.resolve(one.program);
    await new Promise(setImmediate);
    stop.abort();
    expect((await end).failed).toBe('it was stopped before it was done');
    expect(one.ends.length).toBeGreaterThanOrEqual(1);
  }
});

it('leaves nothing behind: what it started is ended with it, and its clock stands', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const one = playProgram(['{}']);
  const end = run(Promise.resolve(one.program));
  one.endsWith({});
  expect(await end).toMatchObject({ failed: null });
  expect(one.ends).toEqual([0]);
});

it('what was said beyond the bound is no answer, and neither is one that was ended at a limit', async () => {
  const much = playProgram(['x'.repeat(MAX_OUTPUT_BYTES), 'y']);
  const { failed, stdout } = await run(Promise.resolve(much.program));
  expect([failed, stdout.length]).toEqual(['it wrote more than 64 KB', MAX_OUTPUT_BYTES]);
  const limited = playProgram(['{"decision":"allow"}']);
  limited.endsWith({ limit: 'memory' });
  expect((await run(Promise.resolve(limited.program))).failed).toContain('limit of your settings (memory)');
});
