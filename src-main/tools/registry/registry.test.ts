import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { ToolRegistry } from './registry.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import { noteDeclaration, noteTool, toRegistered } from '../builtin/tools.test-support.js';

const registryWith = (...names: string[]) => {
  const registry = new ToolRegistry();
  for (const name of names) registry.register(noteTool({ name }));
  return registry;
};

const MEMORY = { maxExecutionTimeMs: 1000, maxOutputBytes: 1000, maxMemory: 1000 } as const;

describe('ToolRegistry', () => {
  it('finds what was registered, and nothing else', () => {
    const registry = registryWith('b_tool', 'a_tool');
    expect(registry.lookup('a_tool')?.tool.declaration.name).toBe('a_tool');
    for (const name of ['c_tool', '__proto__', 'constructor', 'toString']) expect(registry.lookup(name)).toBeNull();
  });

  it('gives definitions sorted by name, the same bytes whatever the order of registration', () => {
    const one = JSON.stringify(registryWith('b', 'a', 'c').listDefinitions());
    const other = JSON.stringify(registryWith('c', 'b', 'a').listDefinitions());
    expect(one).toBe(other);
    expect(
      registryWith('b', 'a')
        .listDefinitions()
        .map(({ name }) => name),
    ).toEqual(['a', 'b']);
  });

  it('generates the definitions once, and again when tools come and go', () => {
    const registry = registryWith('a');
    let told = 0;
    registry.onChange(() => (told += 1));
    const before = registry.listDefinitions();
    expect(registry.listDefinitions()).toBe(before);
    const names = () => registry.listDefinitions().map(({ name }) => name);
    registry.replaceForeign(toRegistered([noteTool({ name: 'b' }), noteTool({ name: 'c' })]), new Map());
    expect(names()).toEqual(['a', 'b', 'c']);
    registry.replaceForeign(toRegistered([noteTool({ name: 'c' })]), new Map());
    expect(names()).toEqual(['a', 'c']);
    expect(registry.lookupVersion('test.b', '1.0.0')).toBeNull();
    expect(told).toBe(2);
  });

  it('does not advertise what is for the window alone', () => {
    const registry = new ToolRegistry();
    registry.register(noteTool({ name: 'undo' }), { advertise: false });
    expect(registry.listDefinitions()).toEqual([]);
    expect(registry.lookup('undo')).not.toBeNull();
  });

  it('rejects a second tool of the same name', () => {
    expect(() => registryWith('a', 'a')).toThrow(/registered already/);
  });

  it('keeps versions of one tool side by side: its name stands for the highest, and each is found exactly', () => {
    const registry = new ToolRegistry();
    for (const version of ['1.9.0', '1.10.0', '1.2.0']) registry.register(noteTool({ name: 'a', version }));
    const versionOf = (found: ReturnType<ToolRegistry['lookup']>) => found?.tool.declaration.version;
    expect(versionOf(registry.lookup('a'))).toBe('1.10.0');
    expect(registry.listDefinitions().map(({ id, version }) => [id, version])).toEqual([['test.a', '1.10.0']]);
    for (const version of ['1.9.0', '1.10.0', '1.2.0'])
      expect(versionOf(registry.lookupVersion('test.a', version))).toBe(version);
    expect(registry.lookupVersion('test.a', '1.9.1')).toBeNull();
    expect(registry.lookupVersion('a', '1.9.0')).toBeNull();
  });

  it('rejects the same version twice, another name for a tool, and a name that looks like another’s', () => {
    const registry = registryWith('note_it');
    const registering = (changes: Parameters<typeof noteTool>[0]) => () => registry.register(noteTool(changes));
    expect(registering({ name: 'note_it' })).toThrow('test.note_it is registered already in version 1.0.0');
    expect(registering({ name: 'b', id: 'test.note_it', version: '2.0.0' })).toThrow('goes by another name already');
    expect(registering({ name: 'Note_It' })).toThrow('a tool of this name is registered already');
    expect(registry.lookup('Note_It')).toBeNull();
  });

  it.each([
    [
      'no $schema',
      { ...noteDeclaration.inputSchema, $schema: 'http://json-schema.org/draft-07/schema#' },
      /\$schema must be/,
    ],
    ['no required', { ...noteDeclaration.inputSchema, required: undefined as never }, /which properties are required/],
    ['no additionalProperties', without(noteDeclaration.inputSchema, 'additionalProperties'), /additionalProperties/],
    ['an undescribed property', withProperty({ type: 'string' }), /extra has no description/],
    ['an untyped property', withProperty({ description: 'x' }), /extra has no type/],
    [
      'a nested undescribed property',
      withProperty({
        type: 'object',
        description: 'x',
        required: [],
        additionalProperties: false,
        properties: { deep: { type: 'string' } },
      }),
      /extra\.deep has no description/,
    ],
    ['$dynamicRef', withProperty({ type: 'object', description: 'x', $dynamicRef: '#x' }), /\$dynamicRef/],
    [
      'unevaluatedProperties',
      { ...noteDeclaration.inputSchema, unevaluatedProperties: false },
      /unevaluatedProperties/,
    ],
    ['a remote reference', withProperty({ description: 'x', $ref: 'https://example.com/s.json' }), /outside itself/],
    ['an unknown keyword', { ...noteDeclaration.inputSchema, requierd: [] }, /not valid JSON Schema/],
    ['a wrong type', withProperty({ type: 'strnig', description: 'x' }), /not valid JSON Schema/],
  ])('rejects a schema with %s', (_what, inputSchema, message) => {
    expect(() => new ToolRegistry().register(noteTool({ inputSchema }))).toThrow(message);
  });

  it.each([
    [{ name: '9lives' }, /name/],
    [{ name: 'a b' }, /name/],
    [{ version: '1.0' }, /semantic version/],
    [{ version: '01.0.0' }, /semantic version/],
    [{ id: '' }, /id/],
    [{ id: 'note' }, /its id must be/],
    [{ id: 'test.no te' }, /its id must be/],
    [{ version: '1.0.0-rc.1' }, /semantic version/],
    [{ resourceLimits: { maxExecutionTimeMs: 0, maxOutputBytes: 1 } }, /limits/],
  ])('rejects the declaration %j', (changes, message) => {
    expect(() => new ToolRegistry().register(noteTool(changes))).toThrow(message);
  });

  it.each([
    [{ nature: 'reads', requiredCapabilities: ['process.run'] }, /“reads” can’t ask for process\.run/],
    [{ nature: 'reads', requiredCapabilities: ['filesystem.write'] }, /can’t ask for filesystem\.write/],
    [{ nature: 'reads', sideEffecting: true }, /what only reads changes nothing/],
    [{ nature: 'files', requiredCapabilities: ['upstream'] }, /“files” can’t ask for upstream/],
    [{ nature: 'reads', resourceLimits: MEMORY }, /“reads” has no process of its own/],
    [{ nature: 'files', resourceLimits: MEMORY }, /nothing could hold it to maxMemory/],
    [{ nature: 'remote', requiredCapabilities: ['upstream'], resourceLimits: MEMORY }, /“remote” has no process/],
    [{ nature: 'command', requiredCapabilities: ['filesystem.read'] }, /“command” asks for process\.run/],
    [{ nature: 'remote', requiredCapabilities: ['filesystem.read'] }, /“remote” asks for upstream/],
  ] as const)('rejects what its nature is not handed: %j', (changes, message) => {
    // By force: the types don't let it be written.
    expect(() => new ToolRegistry().register(noteTool<Nature>(changes as never))).toThrow(message);
  });

  it('says in words what does not fit', () => {
    const registered = registryWith('a').lookup('a');
    expect(registered?.checkInput({ text: 'x' })).toBeNull();
    expect(registered?.checkInput({ text: 1 })).toContain('text');
    expect(registered?.checkInput({ text: 'x', more: 1 })).toContain('more');
    expect(registered?.checkInput({})).toContain('text');
  });
});

function without(schema: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key));
}

function withProperty(property: JsonObject): JsonObject {
  const { inputSchema } = noteDeclaration;
  return { ...inputSchema, properties: { ...(inputSchema['properties'] as JsonObject), extra: property } };
}
