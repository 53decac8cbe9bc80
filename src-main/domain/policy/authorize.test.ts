import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Config } from '#contract/vocabulary/config.js';
import { LAYERS } from '#contract/vocabulary/rules.js';
import { DOORS } from '#contract/vocabulary/calls.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { type Asker, askerAt } from '../call/asker.js';
import { authorize, narrowest, policyInForce, type Verdict } from './authorize.js';
import type { ToolSeen } from './door-tools.js';
import type { CallSeen, Opinion, RulesInForce } from './speakers.js';

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
const identity = (name: string) => ({ name, id: `gatehouse.${name}`, version: '1.0.0' });
const reads = { ...identity('read_file'), sideEffecting: false, requiresApproval: false, personsOwn: false };
const lists = { ...identity('list_directory'), sideEffecting: false, requiresApproval: false, personsOwn: false };
const writes = { ...identity('write_file'), sideEffecting: true, requiresApproval: false, personsOwn: false };
const runs = { ...identity('run_command'), sideEffecting: true, requiresApproval: true, personsOwn: false };
const undoes = { ...identity('undo_changes'), sideEffecting: true, requiresApproval: true, personsOwn: true };
const names = [reads, lists, writes, runs, undoes].map(({ name }) => name);

const agent = askerAt('mcp', 's', { client: 'some 1' });
const inForce = (approval: Policy, more: Partial<RulesInForce> = {}): RulesInForce => ({
  config: defaultConfig({ approval }),
  place: 'open',
  revoked: false,
  confirmation: null,
  approved: false,
  ...more,
});
const named = (tool: ToolSeen): CallSeen => ({
  seen: 'name',
  name: tool.name,
  tool,
  defined: null,
});
const whole = (tool: ToolSeen, wish: string | null = null): CallSeen => ({
  seen: 'whole',
  name: tool.name,
  tool,
  wish,
});
const outright = (approval: Policy, tool: ToolSeen): Verdict => authorize(agent, named(tool), inForce(approval));
const decide = (approval: Policy, tool: ToolSeen, wish: string | null): Verdict =>
  authorize(agent, whole(tool, wish), inForce({ ...approval, enabled: true, denylist: [] }));

const arbitraryPolicy = fc.record({
  enabled: fc.boolean(),
  mode: fc.constantFrom('auto', 'prompt', 'deny'),
  allowlist: fc.subarray(names),
  denylist: fc.subarray(names),
  prompt_side_effects: fc.boolean(),
  wait_seconds: fc.constant(0),
  secrets: fc.constant('ask' as const),
  confirmed: fc.constant([]),
}) as fc.Arbitrary<Policy>;
const arbitraryTool = fc.constantFrom(reads, lists, writes, runs, undoes);
const arbitraryAsker: fc.Arbitrary<Asker> = fc
  .tuple(fc.constantFrom(...DOORS), fc.constantFrom(null, 'one', 'two'), fc.constantFrom(null, 'careful 1', 'other 2'))
  .map(([door, of, client]) => askerAt(door, 's', { agent: of, client }));
const arbitraryCall: fc.Arbitrary<CallSeen> = fc.oneof(
  fc.constant({ seen: 'nothing' as const }),
  fc.constant({ seen: 'name' as const, name: 'nobody', tool: null, defined: null }),
  arbitraryTool.map(named),
  fc.tuple(arbitraryTool, fc.constantFrom(null, 'A control file.')).map(([tool, wish]) => whole(tool, wish)),
);
const arbitraryRules: fc.Arbitrary<RulesInForce> = fc
  .record({
    approval: arbitraryPolicy,
    mode: fc.constantFrom('enabled', 'parse_only', 'disabled'),
    clients: fc.subarray([
      { name: 'one', access: 'ask' as const },
      { name: 'two', access: 'blocked' as const },
      { name: 'careful', access: 'ask' as const },
    ]),
    place: fc.constantFrom('open', 'no-workspace', 'no-roots'),
    revoked: fc.boolean(),
    approved: fc.boolean(),
    confirmation: fc.constantFrom<RulesInForce['confirmation']>(
      null,
      { kind: 'run', id: 'confirmation:1', words: 'You confirmed it.' },
      { kind: 'ask', words: null },
      { kind: 'ask', words: 'It has changed.' },
    ),
  })
  .map(({ approval, mode, clients, ...rest }) => {
    const config = defaultConfig({ approval, mode });
    return { ...rest, config: { ...config, gateway: { ...config.gateway, clients } } };
  });

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

describe('policyInForce', () => {
  it('says the same as the gate does', () => {
    const said = (approval: Policy, tool: ToolSeen): string =>
      policyInForce(agent, whole(tool), inForce(approval)).policy;
    expect(said(policy(), runs)).toBe('deny');
    expect(said(policy({ denylist: [] }), runs)).toBe('ask');
    expect(said(policy(), reads)).toBe('allow');
    expect(said(policy({ mode: 'deny' }), writes)).toBe('deny');
  });
});

const STRICTNESS = { run: 0, ask: 1, deny: 2 } as const;
const opinion: fc.Arbitrary<Opinion> = fc.oneof(
  fc.record({
    kind: fc.constant('deny' as const),
    layer: fc.constantFrom(...LAYERS),
    id: fc.constant('settings.denylist' as const),
    failure: fc.constant({ code: 'Denylisted' as const, message: 'No.' }),
    unlisted: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('ask' as const),
    layer: fc.constantFrom(...LAYERS),
    id: fc.constant('tool.wish' as const),
    words: fc.constant('May it?'),
    answeredBy: fc.constantFrom('confirmation', 'person', 'nobody'),
  }),
  fc.record({
    kind: fc.constant('run' as const),
    layer: fc.constantFrom(...LAYERS),
    id: fc.constant('settings.auto' as const),
    words: fc.constant('It may.'),
  }),
);

describe('layers only narrow', () => {
  it('whatever one more rule says, and wherever it stands, nothing becomes looser', () => {
    fc.assert(
      fc.property(
        fc.array(opinion),
        opinion,
        fc.nat(),
        arbitraryAsker,
        arbitraryRules,
        (said, more, at, asker, rules) => {
          const place = at % (said.length + 1);
          const before = narrowest(said, asker, rules);
          const after = narrowest(said.toSpliced(place, 0, more), asker, rules);
          expect(STRICTNESS[after.kind]).toBeGreaterThanOrEqual(STRICTNESS[before.kind]);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each<[string, (rules: RulesInForce) => RulesInForce]>([
    ['no workspace', (rules) => ({ ...rules, place: 'no-workspace' })],
    ['a revoked token', (rules) => ({ ...rules, revoked: true })],
    ['a tool on the denylist', (rules) => withApproval(rules, { denylist: names })],
    ['approval off', (rules) => withApproval(rules, { enabled: false })],
    ['tools off', (rules) => ({ ...rules, config: withTools(rules.config, { mode: 'disabled' }) })],
    [
      'one more rule for an agent',
      ({ config, ...rules }) => ({
        ...rules,
        config: {
          ...config,
          gateway: { ...config.gateway, clients: [...config.gateway.clients, { name: 'other', access: 'ask' }] },
        },
      }),
    ],
  ])('%s', (_, narrowed) => {
    fc.assert(
      fc.property(arbitraryAsker, arbitraryCall, arbitraryRules, (asker, call, rules) => {
        const before = authorize(asker, call, rules);
        const after = authorize(asker, call, narrowed(rules));
        expect(STRICTNESS[after.kind]).toBeGreaterThanOrEqual(STRICTNESS[before.kind]);
      }),
      { numRuns: 500 },
    );
  });

  it('a yes answers what asks, and turns no denial', () => {
    fc.assert(
      fc.property(arbitraryAsker, arbitraryCall, arbitraryRules, (asker, call, rules) => {
        const none = authorize(asker, call, { ...rules, approved: false, confirmation: null });
        const yes = authorize(asker, call, { ...rules, approved: true });
        const rule = authorize(asker, call, {
          ...rules,
          approved: false,
          confirmation: { kind: 'run', id: 'confirmation:1', words: 'You confirmed it.' },
        });
        if (none.kind !== 'ask') {
          expect(yes).toEqual(none);
          expect(rule).toEqual(none);
        } else {
          expect(yes.kind).toBe(none.for === 'decision' ? 'run' : 'ask');
          if (!none.confirmable) expect(rule).toEqual(none);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('a confirmation lets nothing run that the tool itself wants asked, or of an agent that is to be asked about', () => {
    const confirmation = { kind: 'run', id: 'confirmation:1', words: 'You confirmed it.' } as const;
    const rules = inForce(policy({ denylist: [] }), { confirmation });
    expect(authorize(agent, whole(runs), rules)).toMatchObject({ kind: 'run', id: 'confirmation:1' });
    expect(authorize(agent, whole(runs, 'A control file.'), rules)).toMatchObject({ kind: 'ask', id: 'tool.wish' });
    const careful = { ...rules.config.gateway, clients: [{ name: 'some', access: 'ask' as const }] };
    const asked = { ...rules, config: { ...rules.config, gateway: careful } };
    expect(authorize(agent, whole(runs), asked)).toMatchObject({
      kind: 'ask',
      id: 'agent.ask',
      words: 'You want to be asked about every call of some 1.',
    });
  });

  it('the person’s own act is bound by no rule for those who ask, and by what there is to work on', () => {
    const person = askerAt('window', 's');
    fc.assert(
      fc.property(arbitraryCall, arbitraryRules, (call, rules) => {
        const own = authorize(person, call, { ...rules, revoked: false });
        const isSomewhere = rules.place === 'open';
        const isKnown = call.seen === 'nothing' || call.tool !== null;
        expect(own.kind).toBe(isSomewhere && isKnown ? 'run' : 'deny');
        if (own.kind === 'run') expect(own.id).toBe('person.act');
      }),
    );
  });

  it('what is not for a door is told from what there is not by nothing', () => {
    const other = (tool: ToolSeen | null): Verdict =>
      authorize(agent, { seen: 'name', name: 'undo_changes', tool, defined: null }, inForce(policy({ denylist: [] })));
    expect(other(undoes)).toEqual(other(null));
    expect(other(undoes)).toMatchObject({ kind: 'deny', failure: { code: 'UnknownTool' } });
  });
});

const withTools = (config: Config, tools: Partial<Config['tools']>): Config => ({
  ...config,
  tools: { ...config.tools, ...tools },
});
const withApproval = (rules: RulesInForce, changes: Partial<Policy>): RulesInForce => ({
  ...rules,
  config: withTools(rules.config, { approval: { ...rules.config.tools.approval, ...changes } }),
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
