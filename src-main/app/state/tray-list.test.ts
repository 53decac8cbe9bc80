import { expect, it } from 'vitest';
import type { AppStatus } from '#contract/window/app-events.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { trayList } from './tray-list.js';

const status = (...paused: readonly string[]) => ({ paused }) as unknown as AppStatus;
const call = (summary: string, more: Partial<CallSummary> = {}): CallSummary =>
  ({
    summary,
    door: 'mcp',
    client: 'codex 1.0',
    agent: null,
    awaiting: null,
    display: 'executing',
    ...more,
  }) as CallSummary;
const waits = (summary: string, more: Partial<CallSummary> = {}) =>
  call(summary, { awaiting: 'decision', display: 'pending', ...more });

it('The tray says what waits for the person and what runs, by whom', () => {
  expect(
    trayList({
      status: status(),
      calls: [
        call('npm test', { agent: 'builder' }),
        waits('Create a.txt'),
        call('done', { display: 'completed' }),
        call('Read b.txt', { door: 'compose', client: null }),
      ],
    }),
  ).toEqual({
    tip: 'Gatehouse: 1 waiting for you',
    waiting: ['codex 1.0: Create a.txt'],
    running: ['builder: npm test', 'Compose: Read b.txt'],
  });
  expect(trayList({ status: status(), calls: [] })).toEqual({ tip: 'Gatehouse', waiting: [], running: [] });
});

it('Who is paused waits for nobody; many are counted; one line stays one short line', () => {
  const calls = [waits('x', { agent: 'held' }), ...Array.from({ length: 11 }, (_, at) => waits(`${at}`))];
  const { waiting, tip } = trayList({ status: status('agent held'), calls });
  expect([waiting.length, waiting.at(-1), tip]).toEqual([9, 'and 3 more', 'Gatehouse: 11 waiting for you']);
  const [long] = trayList({ status: status(), calls: [call(`a\n${'b'.repeat(500)}`)] }).running;
  expect([long?.includes('\n'), long?.length]).toEqual([false, 80]);
});
