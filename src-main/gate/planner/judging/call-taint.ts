import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import type { DeclaredCall } from '../../../domain/call/call-stages.js';
import type { Judgement } from '../../../domain/call/judgement.js';
import { type Taint, findTaint, findEgress } from '../../../domain/policy/taint.js';
import type { ConfinementState } from '../../../domain/ports/command-runner.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { GivenTextLog } from '../../../domain/ports/given-text-log.js';
import type { Tool } from '../../../domain/tool/tool.js';

/** The sources and targets that a call names itself, as it was judged. */
export type NamedTargets = Pick<Judgement, 'secrets' | 'outside' | 'needs' | 'unknownHosts'>;

/**
 * Judges the taint of a call: the text its asker’s model has read that is against it now, without any network that a
 * person may grant this call.
 */
export function judgeCallTaint(
  { asker, heard = Infinity }: DeclaredCall,
  tool: Tool<unknown>,
  { secrets = [], outside = [], needs, unknownHosts }: NamedTargets,
  { config, workspace }: PlanningSituation,
  parts: {
    readonly texts: Pick<GivenTextLog, 'listGivenTo' | 'isTrusted'>;
    readonly confinement: () => ConfinementState;
  },
): Taint | null {
  const { texts } = parts;
  const gets = tool.termsFor({ config, confinement: parts.confinement(), network: NOTHING_ALLOWED });
  const given = {
    texts: texts.listGivenTo(asker, workspace),
    trusted: texts.isTrusted(workspace),
    session: asker.session,
    heard,
  };
  return findTaint(
    given,
    findEgress(tool.declaration, gets, { hosts: needs?.hosts ?? [], others: unknownHosts === true }),
    [...secrets, ...outside],
  );
}
