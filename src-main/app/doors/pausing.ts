import { buildPauseKey } from '#contract/vocabulary/activity/pause-key.js';
import { answerProblem, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { AgentsWing } from './agents.js';
import type { Front } from '../front.js';
import type { ComposedGate } from '../gate/gate.js';

/** The person pauses an agent: its calls wait. What of it runs goes on. */
export function pauseChannels({ paused }: AgentsWing, { queueChanged }: ComposedGate, front: Front) {
  const set = (who: Parameters<typeof buildPauseKey>[0], to: boolean) => {
    const by = buildPauseKey(who);
    if (by === null) return refuse('refused', 'Only agents can be paused.');
    const problem = paused.set(by, to);
    front.status.update({ paused: paused.list() });
    queueChanged();
    return answerProblem(problem);
  };
  return {
    'agents.pause': async (who) => set(who, true),
    'agents.resume': async (who) => set(who, false),
  } satisfies Partial<Handlers>;
}
