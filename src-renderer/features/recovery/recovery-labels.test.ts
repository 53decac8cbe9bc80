import { expect, it } from 'vitest';
import type { RecoveredCall, RecoveryReport } from '#contract/window/recovery.js';
import { describeProcess, tellStory } from './recovery-labels.js';

const report = (calls: number, stoppedAt: number | null): RecoveryReport => ({
  stoppedAt,
  batches: [
    {
      batchId: 'b',
      door: 'compose',
      client: null,
      agent: null,
      tenant: null,
      user: null,
      calls: Array.from({ length: calls }, () => ({}) as RecoveredCall),
    },
  ],
});

it('tells what happened', () => {
  const now = new Date(2026, 4, 7, 15).getTime();
  expect(tellStory(report(1, null), now)).toBe('Gatehouse stopped while 1 call was in progress.');
  expect(tellStory(report(3, new Date(2026, 4, 7, 14, 2).getTime()), now)).toMatch(
    /^Gatehouse stopped at .*2.* while 3 calls were in progress\.$/,
  );
});

it('says what is known of a process, and nothing where there was none', () => {
  const words = (process: RecoveredCall['process']) => describeProcess({ process } as RecoveredCall);
  expect(words('none')).toBeNull();
  expect(words(null)).toBeNull();
  expect(words('alive')).toContain('still running');
  expect(words('ended')).toContain('ended');
  expect(words('gone')).toContain('has ended');
});
