import type { Config } from '#contract/vocabulary/config.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Asker } from '../call/asker.js';

/**
 * Refuses another approval sheet to an agent that has its limit of them waiting: nobody presses through a thousand
 * sheets. Null where there may be one more. Checked when the sheet is made, and not when its call is planned: others
 * may have come meanwhile.
 */
export function refuseSheetOverLimit({ agent }: Asker, waiting: number, { gateway }: Config): Failure | null {
  const { sheets } = gateway.limits;
  if (agent === null || waiting < sheets) return null;
  return {
    code: 'LimitsExceeded',
    message: `${agent} has ${sheets} requests waiting for the user, which is the limit. Wait until they have answered.`,
    rule: { layer: 'agent', id: 'agent.sheets' },
  };
}
