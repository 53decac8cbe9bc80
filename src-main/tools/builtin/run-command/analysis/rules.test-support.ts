import { findCoverage, type StandingConfirmation } from '../../../../domain/policy/remembered/standing-confirmation.js';
import { createCommandReader } from './command-reader.js';

export const reader = createCommandReader();

/** Whether rules of these words let a command run. */
export async function isCovered(
  command: string,
  ...rules: readonly Omit<StandingConfirmation, 'tool'>[]
): Promise<boolean> {
  const call = {
    tool: { name: 'run_command', id: 'gatehouse.run_command', version: '1.0.0' },
    analysis: await reader.analyze(command, ['/w']),
    workspace: '/w',
    // As if any `cd` that is read led here.
    leadsTo: '/w',
    agent: null,
    session: 's',
    confinement: { inForce: 'confined', bySettings: 'confined' },
  } as const;
  const given = rules.map((rule) => ({ tool: 'run_command', ...rule }));
  return findCoverage(given, call, 0).covered;
}
