import type { ToolPolicy } from '#contract/vocabulary/tools.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Config } from '#contract/vocabulary/config.js';
import { disabledByPolicy } from '../call/failures.js';
import type { ToolDeclaration } from '../tool/tool.js';

type ApprovalPolicy = Config['tools']['approval'];
type Asked = Pick<ToolDeclaration, 'name' | 'sideEffecting' | 'requiresApproval'>;

export type Verdict =
  /** `id` names the rule, whatever its words are. */
  | { readonly kind: 'run'; readonly id: string; readonly rule: string }
  | { readonly kind: 'ask'; readonly id: string; readonly why: string }
  | { readonly kind: 'deny'; readonly failure: Failure };

/** FR-APR-05, steps 1 and 2: looked at before anything else about the call, its arguments included. */
export function deniedOutright(policy: ApprovalPolicy, toolName: string): Failure | null {
  if (!policy.enabled) return disabledByPolicy;
  if (policy.denylist.includes(toolName)) {
    return {
      code: 'Denylisted',
      message: `${toolName} is on the denylist (tools.approval.denylist). Only the person can take it off.`,
    };
  }
  return null;
}

/** FR-APR-05, steps 4 to 6, after the call proved valid and its paths allowed. `mustAsk` is the preflight's word. */
export function decide(policy: ApprovalPolicy, tool: Asked, mustAsk: string | null): Verdict {
  const allowlisted = policy.allowlist.includes(tool.name);
  if (policy.mode === 'deny' && !allowlisted) {
    return {
      kind: 'deny',
      failure: {
        code: 'Denylisted',
        message: `Only tools on the allowlist may run (tools.approval.mode = "deny"), and ${tool.name} is not on it.`,
      },
    };
  }
  if (mustAsk !== null) return { kind: 'ask', id: 'tool-wish', why: mustAsk };
  if (tool.requiresApproval) return { kind: 'ask', id: 'requires-approval', why: `${tool.name} always asks.` };
  if (allowlisted) return { kind: 'run', id: 'allowlist', rule: `${tool.name} is on the allowlist.` };
  if (policy.mode === 'prompt' && policy.prompt_side_effects && tool.sideEffecting) {
    const why = `${tool.name} changes things, and changes ask (tools.approval.prompt_side_effects).`;
    return { kind: 'ask', id: 'side-effects', why };
  }
  if (policy.mode === 'auto')
    return { kind: 'run', id: 'auto', rule: 'Calls run unless denied (tools.approval.mode = "auto").' };
  return {
    kind: 'run',
    id: tool.sideEffecting ? 'no-prompts' : 'reads',
    rule: tool.sideEffecting
      ? 'Changes need no asking (tools.approval.prompt_side_effects = false).'
      : `${tool.name} only reads.`,
  };
}

/** The same rules as the Tools page shows them: what happens to this tool, and why. */
export function policyInForce(
  policy: ApprovalPolicy,
  tool: Asked,
): { readonly policy: ToolPolicy; readonly reason: string } {
  const denied = deniedOutright(policy, tool.name);
  if (denied !== null) return { policy: 'deny', reason: denied.message };
  const verdict = decide(policy, tool, null);
  switch (verdict.kind) {
    case 'run':
      return { policy: 'allow', reason: verdict.rule };
    case 'ask':
      return { policy: 'ask', reason: verdict.why };
    case 'deny':
      return { policy: 'deny', reason: verdict.failure.message };
  }
}
