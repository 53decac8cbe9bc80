import { expect, it } from 'vitest';
import { readWorkerAnswer } from './worker-envelope.js';

const META = { trace_id: 't', tool_run_id: 'r' };
const ERROR = { code: 'INTERNAL', message: 'm', retryable: false };
const read = (answer: unknown) => readWorkerAnswer(Buffer.from(JSON.stringify(answer)), META);

it.each([
  ['a time that ran backwards', { ok: true, meta: { ...META, duration_ms: -1 }, output: 1 }, /duration_ms/u],
  ['a time that is text', { ok: true, meta: { ...META, duration_ms: '1' }, output: 1 }, /duration_ms/u],
  ['an error without a word', { ok: false, meta: META, error: { ...ERROR, message: '' } }, /error\.message/u],
  ['a code of its own', { ok: false, meta: META, error: { ...ERROR, code: 'Internal' } }, /error\.code/u],
  ['details that are a list', { ok: false, meta: META, error: { ...ERROR, details: [] } }, /error\.details/u],
  ['both an output and an error', { ok: true, meta: META, output: 1, error: null }, /has an error/u],
  ['both an error and an output', { ok: false, meta: META, error: ERROR, output: null }, /has an output/u],
  ['another run', { ok: true, meta: { ...META, tool_run_id: 'R' }, output: 1 }, /tool_run_id is not/u],
  ['another trace', { ok: true, meta: { ...META, trace_id: null }, output: 1 }, /trace_id is not/u],
])('%s is no answer', (_what, answer, why) => {
  expect(read(answer)).toEqual({ kind: 'broken', why: expect.stringMatching(why) as string });
});

it('an answer may leave out its duration and details, and say more than the contract asks', () => {
  expect(read({ ok: true, meta: META, output: null, more: 1 })).toEqual({
    kind: 'output',
    output: null,
    durationMs: null,
  });
  expect(read({ ok: false, meta: { ...META, duration_ms: 0 }, error: { ...ERROR, more: 1 } })).toEqual({
    kind: 'error',
    error: { ...ERROR, details: {} },
    durationMs: 0,
  });
});
