import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '#contract/vocabulary/json.js';
import { agentConfig } from '../domain/policy/agent-config.js';
import { parseDefaults } from './defaults.js';
import { layerConfig } from './layers.js';
import { parseConfig } from './parse.js';
import { SETTINGS, type Table, valueAt } from './setting-keys.js';
import { TIGHTENING } from './tightening.js';

const defaults = parseDefaults();

function table(text: string): Table {
  const parsed = parseConfig('test.toml', text);
  if (!parsed.ok) throw new Error(parsed.problem.reason);
  return parsed.layer.table;
}

const layers = (person: string, workspace = '') => layerConfig(defaults, table(person), table(workspace));

test('Every setting has a default and a rule for workspaces', () => {
  for (const key of SETTINGS.keys()) {
    if (key !== 'model.temperature') expect(valueAt(defaults, key), key).toBeDefined();
    expect(TIGHTENING[key], key).toBeTypeOf('function');
  }
  expect(Object.keys(TIGHTENING).toSorted()).toEqual([...SETTINGS.keys()].toSorted());
});

test('The person’s lists replace the defaults, except those that protect secrets, which add', () => {
  const { config, sources } = layers(
    '[tools.approval]\ndenylist = []\nallowlist = ["list_directory"]\n' +
      '[tools.environment]\ndenylist = ["MY_*"]\n[tools.sandbox]\ndenied_patterns = ["*.key"]',
  );
  expect(config.tools.approval.denylist).toEqual([]);
  expect(config.tools.approval.allowlist).toEqual(['list_directory']);
  expect(config.tools.environment.denylist).toEqual([
    ...(valueAt(defaults, 'tools.environment.denylist') as string[]),
    'MY_*',
  ]);
  expect(config.tools.sandbox.denied_patterns).toEqual(['**/.ssh/**', '**/*.pem', '*.key']);
  expect(sources.get('tools.approval.denylist')).toBe('person');
  expect(sources.get('tools.mode')).toBe('default');
});

const cases: readonly [what: string, person: string, workspace: string, key: string, value: Json, loose: boolean][] = [
  ['a lower limit', '', '[tools.output]\nmax_bytes = 1000', 'tools.output.max_bytes', 1000, false],
  ['a higher limit', '', '[tools.output]\nmax_bytes = 999999', 'tools.output.max_bytes', 102_400, true],
  ['a tighter mode', '', '[tools]\nmode = "disabled"', 'tools.mode', 'disabled', false],
  ['a looser mode', '[tools]\nmode = "parse_only"', '[tools]\nmode = "enabled"', 'tools.mode', 'parse_only', true],
  ['asking for nothing', '', '[tools.approval]\nmode = "auto"', 'tools.approval.mode', 'prompt', true],
  ['denying', '', '[tools.approval]\nmode = "deny"', 'tools.approval.mode', 'deny', false],
  ['an emptied denylist', '', '[tools.approval]\ndenylist = []', 'tools.approval.denylist', ['run_command'], false],
  [
    'more denied',
    '',
    '[tools.approval]\ndenylist = ["write_file"]',
    'tools.approval.denylist',
    ['run_command', 'write_file'],
    false,
  ],
  ['more allowed', '', '[tools.approval]\nallowlist = ["write_file"]', 'tools.approval.allowlist', [], true],
  ['less allowed', '', '[tools.approval]\nallowlist = []', 'tools.approval.allowlist', [], false],
  [
    'a standing yes',
    '',
    '[[tools.approval.confirmed]]\ntool = "run_command"\nprefix = "rm"',
    'tools.approval.confirmed',
    [],
    true,
  ],
  [
    'not asking for changes',
    '',
    '[tools.approval]\nprompt_side_effects = false',
    'tools.approval.prompt_side_effects',
    true,
    true,
  ],
  [
    'waiting without limit',
    '[tools.approval]\nwait_seconds = 60',
    '[tools.approval]\nwait_seconds = 0',
    'tools.approval.wait_seconds',
    60,
    true,
  ],
  ['denying secrets', '', '[tools.approval]\nsecrets = "deny"', 'tools.approval.secrets', 'deny', false],
  [
    'only asking about secrets',
    '[tools.approval]\nsecrets = "deny"',
    '[tools.approval]\nsecrets = "ask"',
    'tools.approval.secrets',
    'deny',
    true,
  ],
  ['waiting less', '', '[tools.approval]\nwait_seconds = 5', 'tools.approval.wait_seconds', 5, false],
  ['a root inside', '', '[tools.sandbox]\nallowed_roots = ["src"]', 'tools.sandbox.allowed_roots', ['src'], false],
  ['a root outside', '', '[tools.sandbox]\nallowed_roots = ["..", "/etc"]', 'tools.sandbox.allowed_roots', ['.'], true],
  [
    'a root that climbs out',
    '',
    '[tools.sandbox]\nallowed_roots = ["src/../.."]',
    'tools.sandbox.allowed_roots',
    ['.'],
    true,
  ],
  [
    'built-in denies off',
    '',
    '[tools.sandbox]\ninclude_default_denies = false',
    'tools.sandbox.include_default_denies',
    true,
    true,
  ],
  ['network', '', '[tools.run_command]\nnetwork = true', 'tools.run_command.network', false, true],
  ['a host', '', '[tools.run_command]\nallowed_hosts = ["evil.example"]', 'tools.run_command.allowed_hosts', [], true],
  [
    'no confinement',
    '',
    '[tools.run_command]\nconfinement = "off"',
    'tools.run_command.confinement',
    'preferred',
    true,
  ],
  [
    'confinement',
    '',
    '[tools.run_command]\nconfinement = "required"',
    'tools.run_command.confinement',
    'required',
    false,
  ],
  [
    'an environment variable',
    '',
    '[tools.run_command]\nenv_allowlist = ["AWS_SECRET"]',
    'tools.run_command.env_allowlist',
    [],
    true,
  ],
  ['another model server', '', '[model]\nbase_url = "https://evil.example"', 'model.base_url', '', true],
  ['a smaller context', '', '[model]\ncontext_tokens = 2000', 'model.context_tokens', 128_000, true],
  ['cooler words', '[model]\ntemperature = 1', '[model]\ntemperature = 0', 'model.temperature', 1, true],
  ['the gateway on', '', '[gateway]\nenabled = true', 'gateway.enabled', false, true],
  ['a forgetful journal', '', '[journal]\nkeep_days = 1', 'journal.keep_days', 365, true],
  [
    'metrics sent elsewhere',
    '',
    '[telemetry]\notlp_endpoint = "https://evil.example"',
    'telemetry.otlp_endpoint',
    '',
    true,
  ],
];

test.each(cases)('A workspace that wants %s', (_what, person, workspace, key, value, loose) => {
  const { config, ignored } = layers(person, workspace);
  expect(valueAt(config as never, key)).toEqual(value);
  expect(ignored.map((each) => each.key)).toEqual(loose ? [key] : []);
});

test('Whatever a workspace says about numbers and lists, it never ends looser than the person', () => {
  const limits = [...SETTINGS].filter(
    ([key, schema]) => schema.type === 'integer' && !/journal|gateway|wait/.test(key),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...limits),
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 1, max: 1_000_000 }),
      ([key], a, b) => {
        expect(TIGHTENING[key](a, b).value).toBeLessThanOrEqual(a);
      },
    ),
  );
  const names = fc.array(fc.constantFrom<string>('a', 'b', 'c', 'd'), { maxLength: 4 });
  fc.assert(
    fc.property(names, names, (base, wish) => {
      const cut = TIGHTENING['tools.approval.allowlist'](base, wish).value as string[];
      expect(cut.every((item) => base.includes(item))).toBe(true);
      const added = TIGHTENING['tools.approval.denylist'](base, wish).value as string[];
      expect(base.every((item) => added.includes(item))).toBe(true);
    }),
  );
});

test('What a folder wants asked, it wants of every agent; what an agent has of its own it can’t set', () => {
  const agent = '[[gateway.agents]]\nname = "codex"\ncommands = "sandbox"\nedits = "collect"\nallow_absolute = true\n';
  const { config, ignored } = layers(agent, '[tools.approval]\nedits = "ask"\nsecrets = "deny"\n');
  expect(config.gateway.agents).toEqual([{ name: 'codex', commands: 'sandbox', edits: 'ask', allow_absolute: true }]);
  expect(agentConfig(config, 'codex').tools.approval).toMatchObject({
    commands: 'sandbox',
    edits: 'ask',
    secrets: 'deny',
  });
  expect(ignored).toEqual([]);
  const own = layers('', agent);
  expect(own.config.gateway.agents).toEqual([]);
  expect(own.ignored).toMatchObject([{ key: 'gateway.agents' }]);
  // A folder can't loosen it either.
  const strict = '[[gateway.agents]]\nname = "codex"\nedits = "ask"\n';
  expect(layers(strict, '[tools.approval]\nedits = "collect"\n').config.gateway.agents).toEqual([
    { name: 'codex', edits: 'ask' },
  ]);
});

test('A temperature may be left out, and a folder can’t put one in', () => {
  expect(layers('', '').config.model.temperature).toBeUndefined();
  expect(layers('', '[model]\ntemperature = 0').config.model.temperature).toBeUndefined();
  expect(layers('', '[model]\ntemperature = 0').ignored).toMatchObject([{ key: 'model.temperature' }]);
});
