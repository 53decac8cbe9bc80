import type { ValidatedCall } from '../../domain/call/call-stages.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { withoutNetwork } from '../../domain/tool/terms.js';

/** The same situation with settings that open no host. */
export const withoutNetworkIn = (situation: PlanningSituation): PlanningSituation => ({
  ...situation,
  config: withoutNetwork(situation.config),
});

/**
 * Whether the call can run offline: its only way out is the network of the settings, and nothing says that it needs
 * one.
 */
export function canRunOffline({ judgement }: ValidatedCall): boolean {
  const { taint, needs, unknownHosts, terms } = judgement;
  const { nature, process, network } = terms.gets;
  return (
    taint !== undefined &&
    nature === 'command' &&
    process?.held === 'confined' &&
    network.by === 'settings' &&
    unknownHosts !== true &&
    (needs?.hosts ?? []).length === 0
  );
}
