import { expect, it } from 'vitest';
import type { OutputWindow } from '#contract/window/channels.js';
import { CHUNK_LINES } from './line-window.js';
import { OutputChunks } from './output-chunks.js';

function stored(total: number, counted = true) {
  const asked: number[] = [];
  let settled: () => void = () => undefined;
  const chunks = new OutputChunks(
    (fromLine, lines) => {
      asked.push(fromLine);
      const count = Math.max(0, Math.min(lines, total - fromLine));
      const rows = Array.from({ length: count }, (_, i) => ({ text: `line ${fromLine + i}\n`, looks: [] }));
      const value: OutputWindow = { rows, fromLine, totalLines: counted ? total : null, totalBytes: total * 10 };
      return Promise.resolve({ ok: true, value });
    },
    () => settled(),
  );
  return {
    chunks,
    asked,
    next: () =>
      new Promise<void>((resolve) => {
        settled = resolve;
      }),
  };
}

it('gives lines by number, asking once for each piece', async () => {
  const { chunks, asked, next } = stored(1000);
  const done = next();
  chunks.need([0]);
  chunks.need([0]);
  expect(chunks.line(5)).toBeUndefined();
  await done;
  expect(chunks.line(5)).toEqual({ text: 'line 5\n', looks: [] });
  expect(chunks.line(CHUNK_LINES)).toBeUndefined();
  expect(chunks.state).toEqual({ totalLines: 1000, totalBytes: 10_000, counting: false, error: null });
  chunks.need([0]);
  expect(asked).toEqual([0]);
});

it('forgets what is far away', async () => {
  const { chunks, asked, next } = stored(1_000_000);
  for (let chunk = 0; chunk < 100; chunk += 1) {
    const done = next();
    chunks.need([chunk]);
    await done;
  }
  expect(chunks.line(0)).toBeUndefined();
  expect(chunks.line(99 * CHUNK_LINES)?.text).toBe(`line ${99 * CHUNK_LINES}\n`);
  const done = next();
  chunks.need([0]);
  await done;
  expect(chunks.line(0)?.text).toBe('line 0\n');
  expect(asked).toHaveLength(101);
});

it('grows as it reads where the lines are not counted yet', async () => {
  const { chunks, next } = stored(1000, false);
  const done = next();
  chunks.need([0]);
  await done;
  expect(chunks.state).toMatchObject({ totalLines: CHUNK_LINES * 2, counting: true });
});

it('says why it can’t', async () => {
  let settled: () => void = () => undefined;
  const failed = new Promise<void>((resolve) => {
    settled = resolve;
  });
  const error = { code: 'not-found', message: 'The stored output is gone.' } as const;
  const chunks = new OutputChunks(() => Promise.resolve({ ok: false, error }), settled);
  chunks.need([0]);
  await failed;
  expect(chunks.state.error).toEqual(error);
});
