import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { openTestJournal, openTestReader, testFolder } from './journal.test-support.js';
import { batchReceived, callReceived, settled, started } from './journal-samples.test-support.js';

const events = [batchReceived('b1'), ...started({ callId: 'c1', batchId: 'b1' })];

describe('the journal', () => {
  it('keeps a whole call and tells listeners only after the commit', async () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    const told: CallSummary[] = [];
    journal.onCommit((_, calls) => told.push(...calls));
    const first = journal.append(events);
    expect(first.calls).toMatchObject([{ callId: 'c1', state: 'EXECUTING', display: 'executing', door: 'mcp' }]);
    journal.append([settled('c1', { content: 'hello' })]);
    expect(told.map((call) => call.state)).toEqual(['EXECUTING', 'COMPLETED']);
    const reader = openTestReader(folder);
    expect(await reader.page({ limit: 10, before: null, filter: {} })).toMatchObject({
      calls: [{ callId: 'c1', state: 'COMPLETED', outcome: 'success', code: null, durationMs: 12 }],
      next: null,
    });
    expect(await reader.detail('c1')).toMatchObject({
      arguments: { path: 'src/index.ts' },
      result: 'hello',
      events: [
        { state: 'DECLARED' },
        { state: 'VALIDATED' },
        { state: 'AUTHORIZED', note: 'Reading is allowed.' },
        { state: 'EXECUTING' },
        { state: 'COMPLETED' },
      ],
    });
    expect(await reader.detail('nothing')).toBeNull();
    expect(await reader.verify()).toMatchObject({ ok: true, events: 6, signed: true });
    await reader.close();
    journal.close();
  });

  it('appends all events or none', () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    expect(() => journal.append([...events, settled('unknown')])).toThrow('no call unknown');
    expect(journal.openBatches()).toEqual([]);
    expect(journal.health.state).toBe('ok');
    journal.append(events);
    expect(journal.openBatches()).toHaveLength(1);
    journal.close();
  });

  it('gives open batches back whole after a restart, and none that were closed', () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    const edited = { path: 'b.ts' };
    journal.append([
      ...events,
      callReceived({ callId: 'c2', batchId: 'b1', index: 1, sideEffecting: true, arguments: { path: 'a.ts' } }),
      { type: 'call-validated', callId: 'c2', summary: 'Read a.ts', risk: 'low', timeoutMs: 30_000 },
      { type: 'call-edited', callId: 'c2', arguments: edited, summary: 'Read b.ts', risk: 'low' },
      { type: 'call-edited', callId: 'c2', arguments: edited, summary: 'Read b.ts', risk: 'low' },
      {
        type: 'call-authorized',
        callId: 'c2',
        grant: {
          by: 'person',
          rule: 'The person approved it.',
          from: { layer: 'person', id: 'person.decision' },
          capabilities: [],
          judgement: null,
        },
      },
      { type: 'call-executing', callId: 'c2', attempt: 1 },
      { type: 'call-process', callId: 'c2', pid: 7, startTicks: '99', mark: 'm', confinement: 'confined' },
      settled('c1', { content: 'done', structured: { n: 1 } }),
      batchReceived('b2'),
    ]);
    journal.append([{ type: 'batch-closed', batchId: 'b2' }]);
    journal.close();
    const again = openTestJournal(folder);
    expect(again.openBatches()).toMatchObject([
      {
        batchId: 'b1',
        workspace: '/home/someone/project',
        calls: [
          {
            settled: true,
            summary: { callId: 'c1' },
            result: { content: 'done', structured: { n: 1 } },
            failure: null,
          },
          {
            settled: false,
            call: {
              index: 1,
              sideEffecting: true,
              arguments: edited,
              originalArguments: { path: 'a.ts' },
              process: { pid: 7, startTicks: '99', mark: 'm' },
            },
          },
        ],
      },
    ]);
    expect(again.startedAfterCrash).toBe(false);
    expect(again.lastAlive).not.toBeNull();
    again.close();
  });

  it('records a rollback as two events, and an undo on both calls', async () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    journal.append([...events, ...started({ callId: 'c2', batchId: 'b1', index: 1, tool: 'undo_changes' })]);
    const failure = { code: 'StaleFile', message: 'It changed.', file: 'a' } as const;
    journal.append([settled('c1', {}, failure, 'ROLLED_BACK')]);
    journal.append([settled('c2', { undoes: ['c1'] })]);
    const reader = openTestReader(folder);
    const detail = await reader.detail('c1');
    expect(detail?.events.slice(-2).map((event) => event.state)).toEqual(['ABORTED', 'ROLLED_BACK']);
    expect(detail).toMatchObject({ state: 'ROLLED_BACK', outcome: 'error', code: 'StaleFile', undoneBy: 'c2' });
    expect(await reader.verify()).toMatchObject({ ok: true });
    expect(() => journal.append([settled('c1')])).toThrow('is settled');
    await reader.close();
    journal.close();
  });

  it('records whatever a caller sends', async () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    const deep = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) as JsonObject;
    const odd = JSON.parse('{"half":"\\ud800","nul":"\\u0000","__proto__":1,"big":1e308,"zero":-0}') as JsonObject;
    const words = 'half \ud800 and \0 and \u{1f600}';
    journal.append([
      batchReceived('b'),
      callReceived({ callId: 'deep', batchId: 'b', arguments: deep, tool: words }),
      callReceived({ callId: 'odd', batchId: 'b', index: 1, arguments: odd }),
    ]);
    const failure = { code: 'BadArgs', message: words } as const;
    journal.append([settled('deep', { content: words }, failure, 'FAILED')]);
    journal.append([settled('odd', { content: words }, failure, 'FAILED')]);
    const reader = openTestReader(folder);
    expect(await reader.verify()).toMatchObject({ ok: true });
    expect(await reader.detail('deep')).toMatchObject({ arguments: { 'not kept': expect.any(String) as string } });
    expect((await reader.detail('odd'))?.result).toBe(words.toWellFormed());
    await reader.export('json', {}, `${folder}/out`);
    await reader.export('cloudevents', {}, `${folder}/out`);
    await reader.close();
    journal.close();
  });
});
