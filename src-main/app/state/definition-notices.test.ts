import { expect, it } from 'vitest';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { definitionNotices } from './definition-notices.js';

const define = (name: string, parameters = {}) => ({ name, description: 'd', parameters });
const registry = new ToolRegistry();
const shown = (mode: 'parse_only' | 'enabled', ...definitions: ReturnType<typeof define>[]) =>
  definitionNotices(defaultConfig({ mode, definitions }).tools, (given) => registry.readDefined(given));

it('notices tell every problem of every definition that is left out, and what the others are called by', () => {
  const broken = { type: 'string', properties: { a: { $ref: 'urn:elsewhere' } } };
  const [refused, renamed] = shown(
    'parse_only',
    define('one', broken),
    define('two', { type: 'array' }),
    define('a b'),
  );
  expect(refused).toMatchObject({ id: 'definitions-refused', severity: 'warning' });
  expect(refused?.text).toContain('“one”, “two”');
  for (const part of ['no object at its top', 'urn:elsewhere', '“two”']) expect(refused?.details).toContain(part);
  expect(renamed).toMatchObject({
    id: 'definitions-renamed',
    details: '“a b” is a_b (tools_definitions.a_b).',
  });
});

it('no notice stands where all is well, or where definitions are not in use', () => {
  expect(shown('parse_only', define('fine'))).toEqual([]);
  expect(shown('enabled', define('one', { type: 'array' }))).toEqual([]);
});
