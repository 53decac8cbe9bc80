import { expect, test } from 'vitest';
import defaultText from '../../resources/default-config.toml?raw';
import { parseDefaults } from './defaults.js';
import { parseConfig } from './parse.js';

function problem(text: string) {
  const parsed = parseConfig('config.toml', text);
  if (parsed.ok) throw new Error('It was accepted.');
  return parsed.problem;
}

test('A good file gives its values, dates as text', () => {
  const parsed = parseConfig(
    'config.toml',
    '[[tools.approval.confirmed]]\ntool = "run_command"\ncommand = "npm test"\nexpires = 2027-01-01\n',
  );
  expect(parsed).toEqual({
    ok: true,
    layer: {
      table: {
        tools: { approval: { confirmed: [{ tool: 'run_command', command: 'npm test', expires: '2027-01-01' }] } },
      },
      unknown: [],
      refusedSources: [],
      refusedHooks: [],
    },
  });
});

test('Seed-style tool definitions are taken whole', () => {
  const parsed = parseConfig(
    'config.toml',
    '[[tools.definitions]]\nname = "read_file"\ndescription = "Read"\n' +
      'parameters = { "type"="object", "properties"={ "path"={ "type"="string" } }, "required"=["path"] }\n',
  );
  expect(parsed.ok).toBe(true);
});

test('Keys that are no settings are named and left out, also strange ones', () => {
  const parsed = parseConfig('config.toml', '[tools]\nmodus = 1\n"a.b" = 2\nmode = "disabled"\n[other.thing]\nx = 1\n');
  expect(parsed).toMatchObject({
    ok: true,
    layer: { table: { tools: { mode: 'disabled' } }, unknown: ['tools.modus', 'tools.a.b', 'other'] },
  });
});

test.each([
  ['a syntax error', '[tools]\nmode = \n', 2],
  ['a wrong type', '\n[tools]\nmode = 3\n', 3],
  ['a wrong choice', '[tools.approval]\n# how\nmode = "maybe"\n', 3],
  ['a number out of range', '[tools]\nmax_tool_calls_per_batch = 0\n', 2],
  ['a fraction where a whole number goes', '[tools]\nmax_tool_args_bytes = 1.5\n', 2],
  ['a value where a table goes', 'tools = "enabled"\n', 1],
  ['a dotted key', 'tools.approval.mode = false\n', 1],
  ['an inline table', '[tools]\napproval = { mode = "no" }\n', 2],
  ['a table where a value goes', '[tools.mode]\nx = 1\n', 1],
  ['a duplicate key', '[tools]\nmode = "enabled"\nmode = "disabled"\n', 3],
  ['a list with a wrong member', '[tools.approval]\ndenylist = ["a", 1]\n', 2],
  ['a host that can’t be meant', '[tools.run_command]\nallowed_hosts = ["a.example", "https://b.example"]\n', 2],
  ['an incomplete entry', '[[tools.approval.confirmed]]\ncommand = "npm test"\n', 1],
  ['a yes given in advance with network', '[[tools.approval.confirmed]]\ntool = "x"\nnetwork = true\n', 1],
  ['an unknown key in an entry', '[[tools.approval.confirmed]]\ntool = "x"\nforever = true\n', 1],
])('Names the line of %s', (_what, text, line) => {
  expect(problem(text)).toMatchObject({ file: 'config.toml', line });
});

test.each([
  ['a line of two megabytes', `x = "${'a'.repeat(2_000_000)}"`],
  ['a line of just under a megabyte that is no TOML', '['.repeat(1_000_000)],
  ['deep arrays', `x = ${'['.repeat(5000)}${']'.repeat(5000)}`],
  ['deep inline tables', `x = ${'{a='.repeat(2000)}1${'}'.repeat(2000)}`],
  ['deep dotted keys', `${'a.'.repeat(5000)}b = 1`],
  ['a prototype key', '__proto__ = { polluted = true }'],
  ['a prototype table', '[__proto__]\npolluted = true'],
  ['a prototype key inside', '[tools]\n__proto__.polluted = true'],
  ['a constructor', '[constructor.prototype]\npolluted = true'],
  ['infinity', '[tools.timeouts]\ndefault_seconds = inf'],
  ['not a number', '[tools.timeouts]\ndefault_seconds = nan'],
  ['an integer past all measure', '[tools]\nmax_tool_args_bytes = 99999999999999999999999'],
  ['NUL', '[tools]\nmode = "a\u0000b"'],
])('Survives %s', (_what, text) => {
  expect(problem(text).reason).toMatch(/\S/);
  expect('polluted' in {}).toBe(false);
});

test('A host that can’t be meant is refused with what to write', () => {
  expect(problem('[tools.run_command]\nallowed_hosts = ["*"]\n').reason).toBe(
    'tools.run_command.allowed_hosts has an entry that can’t be meant: “*” means every host: for that, set tools.run_command.network = true.',
  );
});

test('The defaults that are built in are settings, each with a value that it can have', () => {
  const parsed = parseConfig('default-config.toml', defaultText);
  expect(parsed).toEqual({
    ok: true,
    layer: { table: parseDefaults(), unknown: [], refusedSources: [], refusedHooks: [] },
  });
});
