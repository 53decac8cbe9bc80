import type { PlanPreview, ToolPolicy } from '#contract/vocabulary/tools.js';
import type { ToolView } from '#contract/window/tools.js';

export const POLICY_WORDS: Readonly<Record<ToolPolicy, { readonly short: string; readonly long: string }>> = {
  allow: { short: 'Allowed', long: 'Allow: run without asking' },
  ask: { short: 'Asks', long: 'Ask each time' },
  deny: { short: 'Denied', long: 'Deny always' },
};

const LOOSENESS: Readonly<Record<ToolPolicy, number>> = { deny: 0, ask: 1, allow: 2 };

/** Loosening a tool that can do harm is done deliberately; tightening never asks. */
export const needsConfirming = (tool: ToolView, wanted: ToolPolicy): boolean =>
  LOOSENESS[wanted] > LOOSENESS[tool.policy] && (tool.risk === 'high' || (tool.sideEffecting && wanted === 'allow'));

export function consequence(tool: ToolView, wanted: ToolPolicy): string {
  if (wanted === 'deny') return `Every call of ${tool.name} will be refused.`;
  if (wanted === 'ask') return `${tool.name} can be asked for. You see each call, and decide, before it runs.`;
  if (tool.requiresApproval) {
    return `${tool.name} is permitted. It still asks in this window unless you gave a standing confirmation for exactly that call.`;
  }
  return `${tool.name} will run without asking you, whoever asks for it. It ${tool.sideEffecting ? 'changes things' : 'only reads'}.`;
}

/** What the tester says of a call. */
export function dispositionWords(plan: PlanPreview): { readonly title: string; readonly severity: 'info' | 'warning' } {
  switch (plan.disposition) {
    case 'run':
      return { title: 'It would run without asking', severity: 'info' };
    case 'ask':
      return { title: 'It would ask you first', severity: 'info' };
    case 'settled':
      return {
        title: plan.code === null ? 'It would not run' : `It would be refused: ${plan.code}`,
        severity: 'warning',
      };
  }
}
