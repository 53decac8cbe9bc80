import { expect, test } from 'vitest';
import { type Counted, countQuestions, type Way } from './count.test-support.js';
import { TASKS } from './tasks.test-support.js';

const steps = TASKS.flatMap((task) => task.steps);
const mattering = steps.filter(({ matters }) => matters !== null);

test('The tasks are of many kinds, and most of what they do matters to nobody', () => {
  expect(TASKS.length).toBeGreaterThanOrEqual(13);
  expect(steps.length).toBeGreaterThanOrEqual(50);
  expect(mattering.length).toBeGreaterThanOrEqual(7);
});

const needless = ({ asked }: Counted): readonly string[] =>
  asked.filter(({ step }) => step.matters === null).map(({ what, why }) => `${what}: ${why}`);

test.each<[Way, (counted: Counted) => void]>([
  ['asks', ({ asked }) => expect(asked.length).toBeGreaterThan(45)],
  ['strict', ({ asked }) => expect(asked.filter(({ step }) => step.tool === 'run_command')).toEqual([])],
  [
    'careful',
    ({ asked }) =>
      expect(asked.filter(({ step }) => step.matters === null && !step.edits).map(({ what }) => what)).toEqual([]),
  ],
  ['balanced', (counted) => expect(needless(counted)).toEqual([])],
])('%s: nothing that matters runs unasked, and little else is asked about', async (way, check) => {
  const counted = await countQuestions(way, TASKS);
  expect(counted.missed).toEqual([]);
  check(counted);
});
