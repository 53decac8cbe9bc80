import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DeclaredCall } from '../../domain/call/call-stages.js';
import { authorize } from '../../domain/policy/authorize.js';
import { unknownToolFailure } from '../../domain/policy/judged-tool.js';
import { JUDGED_CALL_TOOL } from '../../domain/policy/offered-tools.js';
import type { RulesInForce } from '../../domain/policy/policy-rules.js';
import { CALL_TOOL } from '../../domain/tool/call-tool.js';

/**
 * Refuses a call for the route it came by (`call_tool` or directly), whatever is to be said of the tool that it calls;
 * null where the route is allowed.
 */
export function refuseRoute(call: DeclaredCall, rules: RulesInForce): Failure | null {
  const through = call.through === true;
  if (!through && call.toolName !== CALL_TOOL) return null;
  const way = authorize(call.asker, { seen: 'name', name: CALL_TOOL, tool: JUDGED_CALL_TOOL, defined: null }, rules);
  if (way.kind === 'deny') return way.failure;
  if (!through) return NO_NAME;
  return call.toolName === CALL_TOOL ? unknownToolFailure(CALL_TOOL) : null;
}

const NO_NAME: Failure = {
  code: 'BadArgs',
  message: 'call_tool takes the name of a tool (name) and what that takes (arguments), and nothing else.',
};
