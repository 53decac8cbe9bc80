import { expect, it, onTestFinished } from 'vitest';
import type { CallFilter } from '#contract/vocabulary/calls.js';
import { makeAsker } from '../../../domain/call/asker.js';
import type { Grant, JournalEvent } from '../../../domain/call/journal-events.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { openTestJournal, openTestReader, testFolder } from '../../writing/journal.test-support.js';
import { callReceived, settled } from '../../writing/journal-samples.test-support.js';

interface Came {
  readonly workspace?: string;
  readonly agent?: string;
  readonly by?: Grant['by'];
  readonly exitCode?: number;
  readonly lines?: readonly { readonly added: number; readonly removed: number }[];
  readonly failure?: Failure;
}

function opened() {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  const reader = openTestReader(folder);
  onTestFinished(async () => {
    await reader.close();
    journal.close();
  });
  const call = (callId: string, came: Came): void => {
    const { workspace = '/shop', agent = null, by, exitCode, lines = [], failure } = came;
    const batchId = `b-${callId}`;
    const structured = exitCode === undefined ? {} : { structured: { exitCode } };
    const changedFiles = lines.map((counted, at) => ({
      path: `f${at}`,
      change: 'modified' as const,
      undoable: true,
      note: null,
      lines: counted,
    }));
    const granted: readonly JournalEvent[] =
      by === undefined
        ? []
        : [
            {
              type: 'call-authorized',
              callId,
              grant: {
                by,
                rule: 'x',
                from: { layer: 'person', id: 'person.decision' },
                capabilities: [],
                judgement: null,
              },
            },
            { type: 'call-executing', callId, attempt: 1 },
          ];
    journal.append([
      { type: 'batch-received', batchId, asker: makeAsker('mcp', 's', { agent }), workspace, mode: 'enabled' },
      callReceived({ callId, batchId, tool: 'run_command', nature: 'command' }),
      ...(by === undefined
        ? []
        : [{ type: 'call-validated', callId, summary: callId, risk: 'low', timeoutMs: 1 } as const]),
      ...granted,
      settled(callId, { ...structured, changedFiles }, failure ?? null),
    ]);
  };
  const found = async (filter: CallFilter) =>
    (await reader.page({ limit: 50, before: null, filter })).calls.map(({ callId }) => callId);
  return { reader, call, found };
}

it('history shows who decided, how a command ended, and how many lines came and went, and the proof covers it', async () => {
  const { reader, call } = opened();
  call('c1', {
    by: 'person',
    exitCode: 0,
    lines: [
      { added: 3, removed: 1 },
      { added: 1, removed: 0 },
    ],
  });
  call('c2', { by: 'standing-confirmation', exitCode: 2 });
  call('c3', { by: 'policy' });
  call('c4', { failure: { code: 'DeniedByPerson', message: 'no', reason: null } });
  call('c5', { failure: { code: 'Denylisted', message: 'no', rule: { layer: 'settings', id: 'settings.denylist' } } });
  call('c6', { failure: { code: 'BadArgs', message: 'no' } });
  const { calls } = await reader.page({ limit: 10, before: null, filter: {} });
  expect(calls.map(({ callId, decidedBy, exitCode, lines }) => [callId, decidedBy, exitCode, lines])).toEqual([
    ['c6', null, null, null],
    ['c5', 'settings', null, null],
    ['c4', 'person', null, null],
    ['c3', 'settings', null, null],
    ['c2', 'rule', 2, null],
    ['c1', 'person', 0, { added: 4, removed: 1 }],
  ]);
  expect(await reader.verify()).toMatchObject({ ok: true });
});

it('history finds calls by folder, agent, who decided, what they changed and how they ended', async () => {
  const { call, found } = opened();
  call('c1', { by: 'person', exitCode: 0, lines: [{ added: 1, removed: 0 }] });
  call('c2', { workspace: '/docs', by: 'policy', exitCode: 1, agent: 'claude' });
  call('c3', { workspace: '/docs', failure: { code: 'DeniedByPerson', message: 'no', reason: null } });
  expect(await found({ workspace: '/docs' })).toEqual(['c3', 'c2']);
  expect(await found({ workspace: '/nowhere' })).toEqual([]);
  expect(await found({ workspace: '/docs', agent: 'claude' })).toEqual(['c2']);
  expect(await found({ decidedBy: 'person' })).toEqual(['c3', 'c1']);
  expect(await found({ decidedBy: 'settings' })).toEqual(['c2']);
  expect(await found({ changed: true })).toEqual(['c1']);
  expect(await found({ changed: false })).toEqual(['c3', 'c2']);
  expect(await found({ exit: 'zero' })).toEqual(['c1']);
  expect(await found({ exit: 'other' })).toEqual(['c2']);
});
