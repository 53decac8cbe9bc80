import { expect, it } from 'vitest';
import { describeStep } from '#contract/vocabulary/call-labels.js';
import { type Nature, NATURE_WORDS, NATURES } from '#contract/vocabulary/nature.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { noteTool, untilAborted } from '../../tools/builtin/tools.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { any, call } from './gate-tools.test-support.js';
import { openTestGate, type TestGate } from './gate.test-support.js';

const config = defaultConfig({ approval: { mode: 'auto' } });

const NEEDS = { reads: [], files: [], command: ['process.run'], remote: ['upstream'] } as const;

/** What it declares to need says as little as may be of what it is. */
const ofNature = (nature: Nature, execute: NonNullable<Parameters<typeof noteTool>[1]>['execute']) =>
  any(
    noteTool(
      { name: 'it', nature, sideEffecting: nature !== 'reads', requiredCapabilities: NEEDS[nature] },
      execute === undefined ? {} : { execute },
    ),
  );

async function detailOf({ dataDir }: TestGate, callId: string) {
  const { service } = openServiceReader(dataDir);
  const detail = await service.detail(callId);
  service.close();
  return detail ?? expect.fail('there is no such call');
}

it.each(NATURES)(
  'a call of nature %s that a crash struck is told of by what it was, though its tool is gone',
  async (nature) => {
    const gate = await openTestGate({ tools: [ofNature(nature, (_args, context) => untilAborted(context))], config });
    const batch = gate.submit([call('it')]);
    const callId = batch.calls[0]?.callId ?? '';
    await new Promise<void>((resolve) =>
      gate.journal.onCommit((events) => events.some(({ type }) => type === 'call-executing') && resolve()),
    );
    expect(await detailOf(gate, callId)).toMatchObject({ nature, state: 'EXECUTING' });
    // As a crash leaves it: the journal ends here.
    gate.journal.close();
    const after = await openTestGate({ tools: [], dataDir: gate.dataDir, workspace: gate.workspace });
    const report = after.events.findLast((event) => event.type === 'recovery');
    const told = report?.type === 'recovery' ? report.recovery?.batches.flatMap(({ calls }) => calls) : undefined;
    expect(told).toMatchObject([{ nature, foundAs: 'may-have-run' }]);
    after.recovery.decide('resume');
    const { rolledBack, interrupted } = NATURE_WORDS[nature];
    expect(await detailOf(after, callId)).toMatchObject({
      nature,
      state: rolledBack === null ? 'ABORTED' : 'ROLLED_BACK',
      reason: interrupted,
    });
  },
);

it.each([
  ['reads', 'Nothing was changed'],
  ['files', 'Its file changes were rolled back'],
] as const)('the timeline of a call of nature %s that failed says: %s', async (nature, words) => {
  const gate = await openTestGate({ tools: [ofNature(nature, () => Promise.reject(new Error('no')))], config });
  const [settled] = await gate.run(call('it'));
  const { events, nature: recorded } = await detailOf(gate, settled?.summary.callId ?? '');
  expect(events.map(({ state }) => describeStep(state, recorded)).at(-1)).toBe(words);
});

it('what was recorded before natures were is said to have been taken back, whatever it was', () => {
  expect(describeStep('ROLLED_BACK', null)).toBe('Changes rolled back');
  for (const nature of NATURES) expect(describeStep('COMPLETED', nature)).toBe('Completed');
});
