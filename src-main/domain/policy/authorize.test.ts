import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authorize, policyInForce, type Verdict } from './authorize.js';
import type { JudgedTool } from './judged-tool.js';
import type { Unattended } from './unattended.js';
import {
  agent,
  arbitraryAsker,
  arbitraryPolicy,
  arbitraryRules,
  arbitraryTool,
  arbitraryUnasked,
  decide,
  inForce,
  lists,
  outright,
  policy,
  reads,
  runs,
  whole,
  writes,
  type Policy,
  STRICTNESS,
  withApproval,
} from './authorize.test-support.js';

describe('what is denied outright (FR-APR-05, 1 and 2)', () => {
  it('disabled beats the denylist', () => {
    expect(outright(policy({ enabled: false }), runs)).toEqual({
      kind: 'deny',
      layer: 'settings',
      id: 'settings.approval',
      words: 'Tool execution disabled by policy',
      failure: {
        code: 'Disabled',
        message: 'Tool execution disabled by policy',
        rule: { layer: 'settings', id: 'settings.approval' },
      },
    });
  });
  it('the denylist denies in every mode, allowlisted or not', () => {
    for (const mode of ['auto', 'prompt', 'deny'] as const) {
      expect(outright(policy({ mode, allowlist: ['run_command'] }), runs)).toMatchObject({
        kind: 'deny',
        id: 'settings.denylist',
        failure: { code: 'Denylisted' },
      });
    }
    expect(outright(policy(), reads).kind).toBe('run');
  });
});

describe('what is decided (FR-APR-04, FR-APR-05 4 to 6)', () => {
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
      fc.property(
        arbitraryPolicy,
        arbitraryTool.filter(({ personsOwn }) => !personsOwn),
        (any, tool) => {
          const strict = { ...any, mode: 'deny' as const };
          if (!strict.allowlist.includes(tool.name)) expect(decide(strict, tool, null).kind).toBe('deny');
        },
      ),
    );
  });
});

describe('what the person lets run unasked (daily.md, What asks)', () => {
  const edit = { what: 'edit', against: null } as const;
  const command = {
    what: 'command',
    against: null,
    edits: null,
    writes: { writes: 'kept', deletes: [] },
    reading: 'r',
  } as const;
  const balanced = policy({ commands: 'sandbox', edits: 'collect', denylist: [] });
  const said = (approval: Policy, tool: JudgedTool, unasked: Unattended | null, wish: string | null = null): Verdict =>
    authorize(agent, whole(tool, wish, unasked), inForce(approval));

  it('turns an ask into a run, with its rule', () => {
    expect(said(balanced, writes, edit)).toMatchObject({ kind: 'run', layer: 'settings', id: 'settings.collect' });
    expect(said(balanced, runs, command)).toMatchObject({ kind: 'run', layer: 'settings', id: 'settings.sandbox' });
  });

  it('says why where something is against it', () => {
    const against = 'It deletes what is not kept.';
    for (const [tool, unasked, id] of [
      [writes, { ...edit, against }, 'settings.collect'],
      [runs, { ...command, against }, 'settings.sandbox'],
    ] as const)
      expect(said(balanced, tool, unasked)).toMatchObject({ kind: 'ask', id, words: against, confirmable: true });
  });

  it('a command that edits asks where edits ask, and not where they collect', () => {
    const edits = { ...command, edits: 'It writes src/a.ts.' };
    expect(said(balanced, runs, edits).kind).toBe('run');
    expect(said({ ...balanced, edits: 'ask' }, runs, edits)).toMatchObject({
      kind: 'ask',
      words: 'It writes src/a.ts.',
    });
  });

  it('lets nothing run that the tool itself wants asked, that is denied, or of an agent that is to be asked about', () => {
    for (const [tool, unasked] of [
      [writes, edit],
      [runs, command],
    ] as const) {
      expect(said(balanced, tool, unasked, 'A control file.')).toMatchObject({ kind: 'ask', id: 'tool.wish' });
      expect(said({ ...balanced, denylist: [tool.name] }, tool, unasked).kind).toBe('deny');
      expect(said({ ...balanced, mode: 'deny' }, tool, unasked).kind).toBe('deny');
      expect(said({ ...balanced, enabled: false }, tool, unasked).kind).toBe('deny');
      const rules = inForce(balanced);
      const gateway = { ...rules.config.gateway, clients: [{ name: 'some', access: 'ask' as const }] };
      const asked = authorize(agent, whole(tool, null, unasked), { ...rules, config: { ...rules.config, gateway } });
      expect(asked).toMatchObject({ kind: 'ask', id: 'agent.ask' });
    }
  });

  it('says nothing where the person did not choose it, and never adds an ask', () => {
    fc.assert(
      fc.property(arbitraryAsker, arbitraryTool, arbitraryUnasked, arbitraryRules, (asker, tool, unasked, rules) => {
        const without = authorize(asker, whole(tool), rules);
        const off = withApproval(rules, { commands: 'ask', edits: 'ask' });
        expect(authorize(asker, whole(tool, null, unasked), off)).toEqual(without);
        const on = authorize(
          asker,
          whole(tool, null, unasked),
          withApproval(rules, { commands: 'sandbox', edits: 'collect' }),
        );
        expect(STRICTNESS[on.kind]).toBeLessThanOrEqual(STRICTNESS[without.kind]);
        if (without.kind === 'deny' || (without.kind === 'ask' && !without.confirmable)) expect(on).toEqual(without);
      }),
      { numRuns: 1000 },
    );
  });

  it('a yes that was given in advance is preferred: it is for more than the sandbox', () => {
    const confirmation = { kind: 'run', id: 'confirmation:1', words: 'You confirmed it.', foreign: false } as const;
    expect(authorize(agent, whole(runs, null, command), inForce(balanced, { confirmation }))).toMatchObject({
      kind: 'run',
      id: 'confirmation:1',
    });
  });
});

it('what the person said to this very call is theirs, whatever else would have let it run', () => {
  const rules = inForce(policy({ commands: 'sandbox', denylist: [] }));
  const unasked = {
    what: 'command',
    against: null,
    edits: null,
    writes: { writes: 'kept', deletes: [] },
    reading: 'd',
  } as const;
  const confirmation = { kind: 'run', id: 'confirmation:1', words: 'You confirmed it.', foreign: false } as const;
  const by = (more: Partial<typeof rules>): string =>
    authorize(agent, whole(runs, null, unasked), { ...rules, ...more }).id;
  expect(by({})).toBe('settings.sandbox');
  expect(by({ confirmation })).toBe('confirmation:1');
  expect(by({ approved: true })).toBe('person.decision');
  expect(by({ approved: true, confirmation })).toBe('person.decision');
});

describe('policyInForce', () => {
  it('says the same as the gate does', () => {
    const said = (approval: Policy, tool: JudgedTool): string =>
      policyInForce(agent, whole(tool), inForce(approval)).policy;
    expect(said(policy(), runs)).toBe('deny');
    expect(said(policy({ denylist: [] }), runs)).toBe('ask');
    expect(said(policy(), reads)).toBe('allow');
    expect(said(policy({ mode: 'deny' }), writes)).toBe('deny');
  });
});

describe('what lists mean (tools.md, Ids)', () => {
  it.each(['write_file', 'gatehouse.write_file', 'gatehouse.write_file@1.0.0', 'gatehouse.*'])('%s', (entry) => {
    expect(outright(policy({ denylist: [entry] }), writes).words).toContain(entry);
    expect(decide(policy({ allowlist: [entry] }), writes, null).kind).toBe('run');
    expect(decide(policy({ allowlist: [entry], mode: 'deny' }), writes, null).kind).toBe('run');
  });

  it.each(['gatehouse', 'gatehouse.write_file@2.0.0', 'gatehouse.write', 'gate.*', '*', 'other.write_file'])(
    'not %s',
    (entry) => {
      expect(outright(policy({ denylist: [entry] }), writes).kind).not.toBe('deny');
      expect(decide(policy({ allowlist: [entry] }), writes, null).kind).toBe('ask');
    },
  );
});
