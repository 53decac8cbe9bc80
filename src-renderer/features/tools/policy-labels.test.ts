import { describe, expect, it } from 'vitest';
import type { ToolPolicy } from '#contract/vocabulary/tools/tools.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { describeConsequence, isLoosening } from './policy-labels.js';

const tool = (risk: ToolView['risk'], policy: ToolPolicy, sideEffecting = true): ToolView =>
  ({ name: 'run_command', risk, policy, sideEffecting, requiresApproval: risk === 'high' }) as ToolView;

describe('changing a policy', () => {
  it('asks before a dangerous tool is loosened, even from denied to asking', () => {
    expect(isLoosening(tool('high', 'deny'), 'ask')).toBe(true);
    expect(isLoosening(tool('high', 'ask'), 'allow')).toBe(true);
    expect(isLoosening(tool('medium', 'ask'), 'allow')).toBe(true);
  });

  it('never asks before something is tightened or is harmless', () => {
    expect(isLoosening(tool('high', 'allow'), 'deny')).toBe(false);
    expect(isLoosening(tool('high', 'ask'), 'ask')).toBe(false);
    expect(isLoosening(tool('medium', 'deny'), 'ask')).toBe(false);
    expect(isLoosening(tool('low', 'ask', false), 'allow')).toBe(false);
  });

  it('does not promise that a tool which always asks stops asking', () => {
    expect(describeConsequence(tool('high', 'ask'), 'allow')).toContain('still asks');
    expect(describeConsequence(tool('medium', 'ask'), 'allow')).toContain('without asking');
  });
});
