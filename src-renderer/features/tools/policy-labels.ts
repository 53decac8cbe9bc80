import type { ToolPolicy } from '#contract/vocabulary/tools/tools.js';
import type { ToolView } from '#contract/window/tools/tools.js';

export const POLICY_LABELS: Readonly<Record<ToolPolicy, { readonly short: string; readonly long: string }>> = {
  allow: { short: 'Allowed', long: 'Allow: run without asking' },
  ask: { short: 'Asks', long: 'Ask each time' },
  deny: { short: 'Denied', long: 'Deny always' },
};

const LOOSENESS: Readonly<Record<ToolPolicy, number>> = { deny: 0, ask: 1, allow: 2 };

/** Loosening a tool that can do harm is done deliberately; tightening never asks. */
export const isLoosening = (tool: ToolView, wanted: ToolPolicy): boolean =>
  LOOSENESS[wanted] > LOOSENESS[tool.policy] && (tool.risk === 'high' || (tool.sideEffecting && wanted === 'allow'));

export function describeConsequence(tool: ToolView, wanted: ToolPolicy): string {
  if (wanted === 'deny') return `Every call of ${tool.name} will be refused.`;
  if (wanted === 'ask') return `Agents can request ${tool.name}. You approve each call.`;
  if (tool.requiresApproval) {
    return `${tool.name} is allowed. It still asks unless a rule covers the call.`;
  }
  return `${tool.name} runs without asking you, for every agent. It ${tool.sideEffecting ? 'changes things' : 'only reads'}.`;
}
