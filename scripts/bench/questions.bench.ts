import { type Counted, countQuestions, type Way } from '../../src-main/tests/gate/questions/count.test-support.js';
import { TASKS } from '../../src-main/tests/gate/questions/tasks.test-support.js';
import type { Compare } from './harness.js';

/**
 * How often a person is asked while an agent does ordinary work: the same tasks, through the real gate, in each way that one
 * can choose, against every change and every command asking. What matters was marked before anything was counted.
 */
export async function run(compare: Compare): Promise<void> {
  const steps = TASKS.flatMap((task) => task.steps);
  const mattering = steps.filter(({ matters }) => matters !== null).length;
  const edits = steps.filter((step) => step.edits).length;
  const known = new Map<Way, Promise<Counted>>();
  const questions = async (way: Way): Promise<number> => {
    const counting = known.get(way) ?? countQuestions(way, TASKS);
    known.set(way, counting);
    const { asked, missed } = await counting;
    if (missed.length > 0) throw new Error(`${way}: ran unasked, though it matters: ${missed.join('; ')}`);
    return asked.length;
  };
  const every = { name: 'every change and command asks', sample: () => questions('asks') };
  const all = await questions('asks');
  for (const [way, atMost] of [
    ['careful', mattering + edits],
    ['balanced', mattering],
  ] as const) {
    await compare({
      name: `Questions in ${TASKS.length} tasks of ${steps.length} calls, ${mattering} of which matter: ${way}`,
      unit: 'asked',
      subject: { name: way, sample: () => questions(way) },
      peer: every,
      warmUp: 0,
      samples: 1,
      goal: { atMost: Math.round((atMost / all) * 100) / 100 },
    });
  }
}
