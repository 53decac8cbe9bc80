import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditLine, callLine, EXPECTED, messageLines, judgeDemo } from './transcript.js';

const WHOLE = { ok: true, events: 61, head: 'abc' } as const;

test('A call is a line: its tool, state, outcome, and the first line of its result', () => {
  const call = { tool: 'run_command', state: 'COMPLETED', outcome: 'success' } as const;
  expect(callLine({ ...call, result: 'one\ntwo\n' })).toBe('run_command COMPLETED success one');
  expect(callLine({ ...call, result: '' })).toBe('run_command COMPLETED success');
  expect(callLine({ ...call, outcome: null, state: 'VALIDATED', result: null })).toBe('run_command VALIDATED –');
});

test('Messages say who speaks; a failure is said as one', () => {
  const message = { blocks: [{ kind: 'text', text: 'Well.' }], failure: null } as never as Parameters<
    typeof messageLines
  >[0];
  expect(messageLines({ ...message, role: 'person' })).toEqual(['You: Well.']);
  expect(messageLines({ ...message, role: 'assistant', failure: { fault: 'x', message: 'No.' } })).toEqual([
    'Demo: Well.',
    'Failed: No.',
  ]);
});

test('Only where every call, the audit and the whole script are as expected it ends with 0', () => {
  const well = judgeDemo(EXPECTED, WHOLE, true);
  expect(well).toEqual({ lines: [`demo: ${EXPECTED.length} calls, ${EXPECTED.length} as expected`], exitCode: 0 });
  const other = EXPECTED.with(5, 'run_command ABORTED error The total is wrong.');
  const differs = judgeDemo(other, WHOLE, true);
  expect(differs.exitCode).toBe(1);
  expect(differs.lines).toEqual([
    'differs: run_command ABORTED error The total is wrong.',
    `  expected: ${EXPECTED[5]}`,
    `demo: ${EXPECTED.length} calls, ${EXPECTED.length - 1} as expected`,
  ]);
  expect(judgeDemo(EXPECTED.slice(0, -1), WHOLE, true).exitCode).toBe(1);
  expect(judgeDemo([...EXPECTED, 'read_file COMPLETED success x'], WHOLE, true).exitCode).toBe(1);
  expect(judgeDemo(EXPECTED, WHOLE, false).exitCode).toBe(1);
  const broken = { ok: false, firstBad: 7, reason: 'its hash differs' } as const;
  expect(judgeDemo(EXPECTED, broken, true).exitCode).toBe(1);
  expect(auditLine(broken)).toBe('audit: event 7 is not as it was written: its hash differs');
  expect(auditLine(WHOLE)).toBe('audit: 61 events, none changed or missing; head abc');
});

test('What is expected of the listing is what the sample is', () => {
  const sample = join(import.meta.dirname, '..', '..', '..', 'resources', 'demo');
  for (const name of readdirSync(sample))
    expect(EXPECTED[0]).toContain(
      `"name":"${name}","path":"${name}","depth":1,"type":"file","size_bytes":${statSync(join(sample, name)).size},`,
    );
});
