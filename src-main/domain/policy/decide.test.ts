import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Config } from '#contract/vocabulary/config.js';
import { decide, deniedOutright, policyInForce } from './decide.js';

type Policy = Config['tools']['approval'];
const policy = (changes: Partial<Policy> = {}): Policy => ({
  enabled: true,
  mode: 'prompt',
  allowlist: ['read_file'],
  denylist: ['run_command'],
  prompt_side_effects: true,
  wait_seconds: 0,
  secrets: 'ask',
  confirmed: [],
  ...changes,
});
const reads = { name: 'read_file', sideEffecting: false, requiresApproval: false };
const lists = { name: 'list_directory', sideEffecting: false, requiresApproval: false };
const writes = { name: 'write_file', sideEffecting: true, requiresApproval: false };
const runs = { name: 'run_command', sideEffecting: true, requiresApproval: true };

const arbitraryPolicy = fc.record({
  enabled: fc.boolean(),
  mode: fc.constantFrom('auto', 'prompt', 'deny'),
  allowlist: fc.subarray(['read_file', 'list_directory', 'write_file', 'run_command']),
  denylist: fc.subarray(['read_file', 'list_directory', 'write_file', 'run_command']),
  prompt_side_effects: fc.boolean(),
  wait_seconds: fc.constant(0),
  secrets: fc.constant('ask' as const),
  confirmed: fc.constant([]),
}) as fc.Arbitrary<Policy>;
const arbitraryTool = fc.constantFrom(reads, lists, writes, runs);

describe('deniedOutright (FR-APR-05, 1 and 2)', () => {
  it('disabled beats the denylist', () => {
    expect(deniedOutright(policy({ enabled: false }), 'run_command')).toEqual({
      code: 'Disabled',
      message: 'Tool execution disabled by policy',
    });
  });
  it('the denylist denies in every mode, allowlisted or not', () => {
    for (const mode of ['auto', 'prompt', 'deny'] as const) {
      expect(deniedOutright(policy({ mode, allowlist: ['run_command'] }), 'run_command')?.code).toBe('Denylisted');
    }
    expect(deniedOutright(policy(), 'read_file')).toBeNull();
  });
});

describe('decide (FR-APR-04, FR-APR-05 4 to 6)', () => {
  it('auto runs what is not denied', () => {
    expect(decide(policy({ mode: 'auto' }), writes, null).kind).toBe('run');
  });
  it('prompt asks for what changes things, and runs what reads', () => {
    expect(decide(policy(), writes, null).kind).toBe('ask');
    expect(decide(policy(), lists, null).kind).toBe('run');
    expect(decide(policy({ allowlist: ['write_file'] }), writes, null).kind).toBe('run');
    expect(decide(policy({ prompt_side_effects: false }), writes, null).kind).toBe('run');
  });
  it('deny runs only what is allowlisted', () => {
    expect(decide(policy({ mode: 'deny' }), reads, null).kind).toBe('run');
    expect(decide(policy({ mode: 'deny' }), lists, null)).toMatchObject({
      kind: 'deny',
      failure: { code: 'Denylisted' },
    });
  });
  it('a tool that requires approval asks, whatever allows it (FR-APR-04e)', () => {
    fc.assert(
      fc.property(arbitraryPolicy, (any) => {
        expect(decide(any, runs, null).kind).not.toBe('run');
      }),
    );
  });
  it('what must ask never just runs', () => {
    fc.assert(
      fc.property(arbitraryPolicy, arbitraryTool, (any, tool) => {
        expect(decide(any, tool, 'a control file').kind).not.toBe('run');
      }),
    );
  });
  it('deny mode never lets through what is not allowlisted', () => {
    fc.assert(
      fc.property(arbitraryPolicy, arbitraryTool, (any, tool) => {
        const strict = { ...any, mode: 'deny' as const };
        if (!strict.allowlist.includes(tool.name)) expect(decide(strict, tool, null).kind).toBe('deny');
      }),
    );
  });
});

describe('policyInForce', () => {
  it('says the same as the gate does', () => {
    expect(policyInForce(policy(), runs).policy).toBe('deny');
    expect(policyInForce(policy({ denylist: [] }), runs).policy).toBe('ask');
    expect(policyInForce(policy(), reads).policy).toBe('allow');
    expect(policyInForce(policy({ mode: 'deny' }), writes).policy).toBe('deny');
  });
});
