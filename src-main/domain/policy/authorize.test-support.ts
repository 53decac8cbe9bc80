import fc from 'fast-check';
import { DOORS } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { type Asker, makeAsker } from '../call/asker.js';
import { authorize, type Verdict } from './authorize.js';
import type { JudgedTool } from './judged-tool.js';
import type { KnownCall, RulesInForce } from './policy-rules.js';
import type { Unattended } from './unattended.js';

export type Policy = Config['tools']['approval'];
export const policy = (changes: Partial<Policy> = {}): Policy => ({
  enabled: true,
  mode: 'prompt',
  allowlist: ['read_file'],
  denylist: ['run_command'],
  prompt_side_effects: true,
  wait_seconds: 0,
  commands: 'ask',
  edits: 'ask',
  secrets: 'ask',
  confirmed: [],
  ...changes,
});
export const identity = (name: string) => ({ name, id: `gatehouse.${name}`, version: '1.0.0' });
export const reads = { ...identity('read_file'), sideEffecting: false, requiresApproval: false, personsOwn: false };
export const lists = {
  ...identity('list_directory'),
  sideEffecting: false,
  requiresApproval: false,
  personsOwn: false,
};
export const writes = { ...identity('write_file'), sideEffecting: true, requiresApproval: false, personsOwn: false };
export const runs = { ...identity('run_command'), sideEffecting: true, requiresApproval: true, personsOwn: false };
export const undoes = { ...identity('undo_changes'), sideEffecting: true, requiresApproval: true, personsOwn: true };
export const names = [reads, lists, writes, runs, undoes].map(({ name }) => name);

export const agent = makeAsker('mcp', 's', { client: 'some 1' });
export const inForce = (approval: Policy, more: Partial<RulesInForce> = {}): RulesInForce => ({
  config: defaultConfig({ approval }),
  place: 'open',
  revoked: false,
  confirmation: null,
  approved: false,
  ...more,
});
export const named = (tool: JudgedTool): KnownCall => ({
  seen: 'name',
  name: tool.name,
  tool,
  defined: null,
});
export const whole = (tool: JudgedTool, wish: string | null = null, unasked: Unattended | null = null): KnownCall => ({
  seen: 'whole',
  name: tool.name,
  tool,
  wish,
  unasked,
});
export const outright = (approval: Policy, tool: JudgedTool): Verdict =>
  authorize(agent, named(tool), inForce(approval));
export const decide = (approval: Policy, tool: JudgedTool, wish: string | null): Verdict =>
  authorize(agent, whole(tool, wish), inForce({ ...approval, enabled: true, denylist: [] }));

export const arbitraryPolicy = fc.record({
  enabled: fc.boolean(),
  mode: fc.constantFrom('auto', 'prompt', 'deny'),
  allowlist: fc.subarray(names),
  denylist: fc.subarray(names),
  prompt_side_effects: fc.boolean(),
  wait_seconds: fc.constant(0),
  commands: fc.constantFrom('ask', 'sandbox'),
  edits: fc.constantFrom('ask', 'collect'),
  secrets: fc.constant('ask' as const),
  confirmed: fc.constant([]),
}) as fc.Arbitrary<Policy>;
export const arbitraryTool = fc.constantFrom(reads, lists, writes, runs, undoes);
export const arbitraryAsker: fc.Arbitrary<Asker> = fc
  .tuple(fc.constantFrom(...DOORS), fc.constantFrom(null, 'one', 'two'), fc.constantFrom(null, 'careful 1', 'other 2'))
  .map(([door, of, client]) => makeAsker(door, 's', { agent: of, client }));
export const why = fc.constantFrom(null, 'It is not kept.');
export const arbitraryUnasked: fc.Arbitrary<Unattended | null> = fc.oneof(
  fc.constant(null),
  fc.record({ what: fc.constant('edit' as const), against: why }),
  fc.record({
    what: fc.constant('command' as const),
    against: why,
    edits: why,
    writes: fc.constant({ writes: 'kept' as const, deletes: [] }),
    reading: fc.constant('digest'),
  }),
);
export const arbitraryCall: fc.Arbitrary<KnownCall> = fc.oneof(
  fc.constant({ seen: 'nothing' as const }),
  fc.constant({ seen: 'name' as const, name: 'nobody', tool: null, defined: null }),
  arbitraryTool.map(named),
  fc
    .tuple(arbitraryTool, fc.constantFrom(null, 'A control file.'), arbitraryUnasked)
    .map(([tool, wish, unasked]) => whole(tool, wish, unasked)),
);
export const arbitraryRules: fc.Arbitrary<RulesInForce> = fc
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
      { kind: 'run', id: 'confirmation:1', words: 'You confirmed it.', foreign: false },
      { kind: 'ask', words: null },
      { kind: 'ask', words: 'It has changed.' },
    ),
  })
  .map(({ approval, mode, clients, ...rest }) => {
    const config = defaultConfig({ approval, mode });
    return { ...rest, config: { ...config, gateway: { ...config.gateway, clients } } };
  });

export const withTools = (config: Config, tools: Partial<Config['tools']>): Config => ({
  ...config,
  tools: { ...config.tools, ...tools },
});
export const withApproval = (rules: RulesInForce, changes: Partial<Policy>): RulesInForce => ({
  ...rules,
  config: withTools(rules.config, { approval: { ...rules.config.tools.approval, ...changes } }),
});

export const STRICTNESS = { run: 0, ask: 1, deny: 2 } as const;
