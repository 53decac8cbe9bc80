import type { DeclaredCall } from '../../domain/call/call-stages.js';
import { mayUseFolder } from '../../domain/policy/client-rules.js';
import { findDefinedTool, findJudgedTool } from '../../domain/policy/judged-tool.js';
import type { RulesInForce } from '../../domain/policy/policy-rules.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { ToolLookup } from '../../domain/ports/gate/tool-lookup.js';

export interface RulesInForceDeps {
  readonly tools: ToolLookup;
  /** Whether the name of an agent is known, unknown or revoked. */
  readonly statusOf: Agents['getStatus'];
}

/** The rules that a call is judged by where and when it is asked for, before anybody said anything about it. */
export function findRulesInForce(
  call: DeclaredCall,
  situation: PlanningSituation,
  { tools, statusOf }: RulesInForceDeps,
): RulesInForce {
  const { asker } = call;
  const { config, workspace } = situation;
  const here = workspace === '' || mayUseFolder(config, asker, workspace) ? placeOf(situation) : 'closed';
  const place = here !== 'closed' && worksAnywhere(call, situation, tools) ? 'open' : here;
  const revoked = asker.agent !== null && statusOf(asker.agent) === 'revoked';
  return { config, place, revoked, confirmation: null, approved: false };
}

/**
 * Whether the call needs no open folder: a tool of the domain works in none, and an unknown tool name is refused the
 * same everywhere.
 */
function worksAnywhere(call: DeclaredCall, { config }: PlanningSituation, tools: ToolLookup): boolean {
  const seen = findJudgedTool(tools, call);
  if (seen !== null) return seen.ofDomain === true;
  return tools.explainAbsence(call.toolName) === null && findDefinedTool(tools, call.toolName, config) === null;
}

function placeOf({ workspace, isOpen, sandbox }: PlanningSituation): RulesInForce['place'] {
  if (workspace === '') return 'no-workspace';
  if (!isOpen) return 'closed';
  return sandbox.roots.length === 0 ? 'no-roots' : 'open';
}
