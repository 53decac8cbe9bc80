import { expect, it, onTestFinished } from 'vitest';
import { makeAsker } from '../../../domain/call/asker.js';
import type { Grant } from '../../../domain/call/journal-events.js';
import type { DecidingRule } from '#contract/vocabulary/rules.js';
import { openTestJournal, openTestReader, testFolder } from '../../writing/journal.test-support.js';
import { callReceived, settled } from '../../writing/journal-samples.test-support.js';

function opened() {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  const reader = openTestReader(folder);
  onTestFinished(async () => {
    await reader.close();
    journal.close();
  });
  const call = (
    callId: string,
    by: Grant['by'],
    rule: DecidingRule['id'],
    asked: DecidingRule['id'] | null = null,
  ): void => {
    const batchId = `b-${callId}`;
    const asker = makeAsker('mcp', 's', { agent: 'claude' });
    const grant: Grant = {
      by,
      rule: 'Said.',
      from: { layer: 'confirmation', id: rule },
      capabilities: [],
      judgement: null,
    };
    journal.append([
      { type: 'batch-received', batchId, asker, workspace: '/w', mode: 'enabled' },
      callReceived({ callId, batchId, tool: 'run_command', arguments: { command: `npm run ${callId}` } }),
      { type: 'call-validated', callId, summary: callId, risk: 'low', timeoutMs: 1 },
      ...(asked === null
        ? []
        : [{ type: 'call-awaiting', callId, for: 'decision', why: 'x', rule: { layer: 'tool', id: asked } } as const]),
      { type: 'call-authorized', callId, grant },
      { type: 'call-executing', callId, attempt: 1 },
      settled(callId, {}),
    ]);
  };
  return { reader, call };
}

it('A rule’s uses are what the record says it let run: of several, each; of others with a like name, none', async () => {
  const { reader, call } = opened();
  call('c1', 'standing-confirmation', 'confirmation:aaa');
  call('c2', 'standing-confirmation', 'confirmation:aaa+bbb');
  call('c3', 'standing-confirmation', 'confirmation:aaab');
  call('c4', 'person', 'confirmation:aaa');
  call('c5', 'policy', 'settings.reads');
  const uses = await reader.ruleUses();
  expect(Object.fromEntries(Object.entries(uses).map(([id, { used }]) => [id, used]))).toEqual({
    aaa: 2,
    bbb: 1,
    aaab: 1,
  });
  expect(uses['aaa']?.last).toBeGreaterThan(0);
  const found = async (rule: string) =>
    (await reader.page({ limit: 10, before: null, filter: { rule } })).calls.map(({ callId }) => callId);
  expect(await found('aaa')).toEqual(['c2', 'c1']);
  expect(await found('bbb')).toEqual(['c2']);
  expect(await found('%')).toEqual([]);
});

it('What was asked is found as it was asked, with why; what ran unasked is not', async () => {
  const { reader, call } = opened();
  call('c1', 'person', 'person.decision', 'tool.approval');
  call('c2', 'policy', 'settings.reads');
  call('c3', 'person', 'person.decision', 'tool.wish');
  const asked = await reader.asked(100);
  expect(asked).toMatchObject([
    { callId: 'c3', rule: 'tool.wish', denied: false },
    { callId: 'c1', rule: 'tool.approval', agent: 'claude', arguments: { command: 'npm run c1' } },
  ]);
  expect(await reader.asked(1)).toHaveLength(1);
});
