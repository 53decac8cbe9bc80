import { expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { noteTool } from '../builtin/tools.test-support.js';
import { ToolRegistry } from './registry.js';

const define = (name: string, parameters: JsonObject = {}, description = 'd') => ({ name, description, parameters });

function registryWith(...names: readonly string[]): ToolRegistry {
  const registry = new ToolRegistry();
  for (const name of names) registry.register(noteTool({ name }));
  return registry;
}

it('definitions are taken where they can be, by names that models can call, and of the rest it is told what is wrong', () => {
  const { byName, refused } = registryWith('read_file').readDefined([
    define('plain'),
    define('my tool!'),
    define('broken', { type: 'array', properties: { a: { $ref: 'https://example.com/x' } } }),
    define('plain', { required: ['other'] }),
    define('read_file'),
    define('Read_File'),
  ]);
  expect([...byName.values()].map(({ name, id, version, ownName }) => [name, id, version, ownName])).toEqual([
    ['plain', 'tools_definitions.plain', '0.0.0', 'plain'],
    ['my_tool_', 'tools_definitions.my_tool_', '0.0.0', 'my tool!'],
  ]);
  expect(byName.get('plain')?.checkInput({})).toBeNull();
  const [broken, twice, ...taken] = refused;
  expect(broken?.name).toBe('broken');
  expect(broken?.problems).toHaveLength(2);
  expect(twice).toMatchObject({ name: 'plain', problems: [expect.stringContaining('twice')] });
  expect(taken.map(({ name, problems }) => [name, problems[0]])).toEqual([
    ['read_file', expect.stringContaining('comes with Gatehouse')],
    ['Read_File', expect.stringContaining('comes with Gatehouse')],
  ]);
});

it('texts for models lose what no person sees; names and constants of a schema lose nothing', () => {
  const tag = '\u{e0041}';
  const { byName } = registryWith().readDefined([
    define(
      `a${tag}`,
      { properties: { [`p${tag}`]: { description: `x\u202ey\n${tag}`, title: `t${tag}`, const: `c${tag}` } } },
      `says${tag}\u200b${'z'.repeat(5000)}`,
    ),
  ]);
  const [tool] = byName.values();
  expect(tool?.advertised.title).toBe('a');
  expect(tool?.advertised.description).toBe(`says${'z'.repeat(4092)}`);
  expect(tool?.advertised.inputSchema).toEqual({
    type: 'object',
    properties: { [`p${tag}`]: { description: 'xy\n', title: 't', const: `c${tag}` } },
  });
});

it('definitions are admitted once, and again when the tools that they stand beside change', () => {
  const registry = registryWith();
  const definitions = [define('a')];
  const before = registry.readDefined(definitions);
  expect(registry.readDefined(definitions)).toBe(before);
  registry.register(noteTool({ name: 'a' }));
  expect(registry.readDefined(definitions).byName.size).toBe(0);
});
