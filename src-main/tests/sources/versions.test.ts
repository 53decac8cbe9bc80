import { expect, it } from 'vitest';
import type { OfferedLifecycle } from '../../domain/ports/sources/source.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { defaultConfig } from '../gate/default-config.test-support.js';
import { openTestGate } from '../gate/gate.test-support.js';
import { catalogOf, operation, Scripted, source } from './scripted-source.test-support.js';

const lifecycle = (state: OfferedLifecycle['state'], more: Partial<OfferedLifecycle> = {}): OfferedLifecycle => ({
  state,
  deprecationDate: null,
  insteadUse: null,
  compatibilityRange: null,
  releaseNotes: null,
  ...more,
});

const version = (of: string, state: OfferedLifecycle['state'] = 'active', more: Partial<OfferedLifecycle> = {}) =>
  operation('op', {
    toolId: 'src.op',
    version: of,
    description: `Version ${of}.`,
    lifecycle: lifecycle(state, more),
  });

async function stage(...operations: ReturnType<typeof operation>[]) {
  const scripted = new Scripted(...operations);
  const registry = new ToolRegistry();
  const made = catalogOf(registry, scripted, { now: Date.parse('2026-06-01') });
  await made.follow({ src: source({ kind: 'program', manifest: 'x' }) });
  const config = defaultConfig({ approval: { confirmed: [{ tool: 'src.*' }] } });
  const gate = await openTestGate({ tools: [], config, parts: { registry } });
  const run = async (tool: string) => {
    const [settled] = await gate.run({ tool, arguments: {} });
    return {
      version: scripted.calls.at(-1)?.operation.version ?? null,
      code: settled?.failure?.code ?? null,
      eCode: settled?.failure?.eCode ?? null,
      message: settled?.failure?.message ?? '',
      warnings: settled?.result.aftermath.warnings ?? [],
    };
  };
  const offered = () => made.catalog.find('src')?.followed?.offered ?? expect.fail('nothing is offered');
  return { registry, run, offered, config, gate };
}

it('a name stands for the highest active version, and for others where they are asked for', async () => {
  const { registry, run } = await stage(
    version('1.0.0'),
    version('2.1.0'),
    version('2.10.0'),
    version('3.0.0', 'deprecated'),
  );
  expect(registry.listDefinitions().map(({ version: of }) => of)).toEqual(['2.10.0']);
  for (const [asked, found] of [
    ['src__op', '2.10.0'],
    ['src__op@1.0.0', '1.0.0'],
    ['src.op@^2.1.0', '2.10.0'],
    ['src__op@~2.1', '2.1.0'],
    ['src__op@1.x', '1.0.0'],
    ['src__op@*', '2.10.0'],
    ['src__op@^3.0.0', '3.0.0'],
  ] as const)
    expect(await run(asked), asked).toMatchObject({ code: null, version: found });
  expect(await run('src__op@4.0.0')).toMatchObject({ code: 'UnknownTool', eCode: 'E3002' });
  expect(await run('src__op@^4.0.0')).toMatchObject({ code: 'UnknownTool', eCode: 'E3006' });
  expect(await run('src__op@newest')).toMatchObject({ code: 'UnknownTool', eCode: null });
  expect(await run('src.op')).toMatchObject({ code: 'UnknownTool', eCode: null });
});

it('a call of a deprecated version is warned of it, and told what to use instead', async () => {
  const { run } = await stage(version('1.0.0', 'deprecated', { insteadUse: 'src.other' }));
  const { code, warnings } = await run('src__op');
  expect(code).toBeNull();
  expect(warnings).toEqual([expect.stringMatching(/E3003.*Use src\.other instead/u)]);
});

it('a sunset version is known by its exact number alone, and a removed one not at all', async () => {
  const gone = { deprecationDate: '2026-01-01', insteadUse: 'src.other' };
  const { registry, run } = await stage(version('1.0.0', 'removed', gone), version('2.0.0', 'sunset'));
  expect(registry.listDefinitions()).toEqual([]);
  expect(await run('src__op')).toMatchObject({ code: 'UnknownTool', eCode: 'E3006' });
  expect(await run('src__op@2.0.0')).toMatchObject({ code: null, version: '2.0.0' });
  const removed = await run('src__op@1.0.0');
  expect(removed).toMatchObject({ code: 'UnknownTool', eCode: 'E3004' });
  expect(removed.message).toContain('Use src.other instead');
});

it('a version that was removed before its notice was over is held at sunset', async () => {
  const { run, offered } = await stage(version('1.0.0', 'removed', { deprecationDate: '2026-05-01' }));
  expect(await run('src__op@1.0.0')).toMatchObject({ code: null });
  expect(offered().tools[0]?.remarks).toEqual([expect.stringContaining('held at sunset')]);
});

it('five versions are kept, and the lowest go; the same version twice with other content is refused', async () => {
  const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0', '1.10.0'].map((of) => version(of));
  const { run, offered } = await stage(...versions, { ...version('1.4.0'), description: 'Another.' });
  expect(await run('src__op@1.0.0')).toMatchObject({ code: 'UnknownTool', eCode: 'E3002' });
  expect(await run('src__op@1.1.0')).toMatchObject({ code: null, version: '1.1.0' });
  expect(offered().refused.map(({ eCode }) => eCode)).toEqual(['E3007', null]);
});

it('a tool is denied by its name in a list, whatever version is asked for', async () => {
  const { gate, run } = await stage(version('1.0.0'), version('2.0.0'));
  gate.config = defaultConfig({ approval: { denylist: ['src__op'], confirmed: [{ tool: 'src.*' }] } });
  await gate.configChanged();
  expect(await run('src__op@1.0.0')).toMatchObject({ code: 'Denylisted' });
  expect(await run('src.op@1.0.0')).toMatchObject({ code: 'Denylisted' });
});

it('ids that are not the source’s own are refused', async () => {
  const { offered } = await stage(operation('x', { toolId: 'other.x' }), operation('y', { toolId: 'no id' }));
  expect(offered().refused.map(({ eCode }) => eCode)).toEqual(['E3008', 'E3008']);
});
