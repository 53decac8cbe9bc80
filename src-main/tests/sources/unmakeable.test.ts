import { expect, it } from 'vitest';
import { type MakeSource, SourceProblem } from '../../domain/ports/sources/source.js';
import { toWireSource } from '../../tools/sources/catalog/source-views.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { catalogOf, operation, Scripted, source } from './scripted-source.test-support.js';

it('a source that can’t be made of its settings is refused alone; the others go on', async () => {
  const scripted = new Scripted(operation('a'));
  const make: MakeSource = (made) => {
    if (made.name === 'bad') throw new SourceProblem('refused', 'The header X-A can’t be read.');
    return scripted.make(made);
  };
  const registry = new ToolRegistry();
  const { catalog, follow } = catalogOf(registry, Object.assign(Object.create(scripted) as Scripted, { make }));
  await follow({ bad: source(), good: source() });
  expect(registry.listDefinitions().map(({ name }) => name)).toEqual(['good__a']);
  expect(catalog.all.map(toWireSource)).toMatchObject([
    { name: 'bad', state: 'refused', refused: [{ reason: 'The header X-A can’t be read.' }] },
    { name: 'good', tools: 1 },
  ]);
});
