import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract/vocabulary/json.js';
import type { Tool } from '../../domain/tool/tool.js';
import { isOfferedToPrograms } from '../../domain/policy/offered-tools.js';
import { findToolsTool } from '../../tools/builtin/find-tools/handler.js';
import { noteDeclaration, noteTool } from '../../tools/builtin/tools.test-support.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { ToolSearch } from '../../tools/registry/search/tool-search.js';
import { sampleTools } from '../../tools/registry/search/samples/sample-catalogue.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate, type TestGate, type TestGateOptions } from './gate.test-support.js';

const asAgent = { door: 'mcp', client: 'agent 1', agent: 'one' } as const;
const ran: string[] = [];

/** Of another place: it says what it was given. */
function elsewhere(name: string, changes: Partial<Parameters<typeof noteTool<'remote'>>[0]> = {}): Tool<never> {
  const tool = noteTool<'remote'>(
    { id: `far.${name}`, name: `far__${name}`, nature: 'remote', requiredCapabilities: ['upstream'], ...changes },
    {
      execute: async ({ text }) => {
        ran.push(`${name}:${text}`);
        return {
          content: text,
          structured: { length: text.length },
          allowTruncation: true,
          outputBytes: text.length,
          outputBytesLeftOut: 0,
          storedOutputs: [],
          changedFiles: [],
          confinement: null,
          resources: null,
        };
      },
    },
  );
  return tool as Tool<never>;
}

const ours = noteTool<'reads'>({ id: 'gatehouse.note', name: 'note' });

function withMany(more: readonly Tool<never>[] = []): ToolRegistry {
  const registry = new ToolRegistry();
  registry.register(ours);
  for (const tool of [...sampleTools(), ...more]) registry.register(tool);
  const finder = new ToolSearch({
    tools: registry,
    embedder: () => null,
    kept: { read: async () => null, write: async () => undefined },
    withoutSecrets: (text) => text,
  });
  const isOffered = (tool: { readonly name: string }, config: Parameters<typeof isOfferedToPrograms>[2]) =>
    isOfferedToPrograms(registry, tool.name, config);
  registry.register(findToolsTool({ finder, isOffered }));
  return registry;
}

async function openMany(options: Partial<TestGateOptions> = {}, more: readonly Tool<never>[] = []): Promise<TestGate> {
  ran.length = 0;
  return openTestGate({ tools: [], ...options, parts: { registry: withMany(more), ...options.parts } });
}

const through = (name: Json, args: Json) => ({ tool: 'call_tool', arguments: { name, arguments: args } });
async function changed(gate: TestGate, config: ReturnType<typeof defaultConfig>): Promise<void> {
  gate.config = config;
  await gate.configChanged();
}
/** All that is on disk of it. */
async function recordOf(gate: TestGate): Promise<string> {
  await gate.close();
  return readdirSync(gate.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
const listed = (gate: TestGate, used?: readonly string[]): readonly string[] =>
  gate.gate.listAdvertised(gate.workspace, used === undefined ? undefined : new Set(used)).map(({ name }) => name);

describe('with more tools than are listed', () => {
  it('the app’s own tools are listed, those that were used, and the tools to find and call the others', async () => {
    const gate = await openMany();
    expect(listed(gate)).toEqual(['call_tool', 'find_tools', 'note']);
    expect(listed(gate, ['slack__post_message', 'never_was'])).toEqual([
      'call_tool',
      'find_tools',
      'note',
      'slack__post_message',
    ]);
  });

  it('all are listed up to the number that the settings say, and versions count once', async () => {
    const again = elsewhere('note', { version: '2.0.0' });
    const gate = await openMany({ config: defaultConfig({ advertise_at_most: 201 }) }, [elsewhere('note'), again]);
    expect(listed(gate)).toHaveLength(202);
    expect(listed(gate)).not.toContain('find_tools');
    await changed(gate, defaultConfig({ advertise_at_most: 200 }));
    expect(listed(gate)).toEqual(['call_tool', 'find_tools', 'note']);
    // What nobody can call is not counted.
    await changed(gate, defaultConfig({ advertise_at_most: 200, approval: { denylist: ['far.*'] } }));
    expect(listed(gate)).toHaveLength(201);
    await changed(gate, defaultConfig({ mode: 'parse_only' }));
    expect(listed(gate)).toHaveLength(202);
    await changed(gate, defaultConfig({ mode: 'disabled' }));
    expect(listed(gate)).toEqual([]);
  });

  it('find_tools and call_tool are not listed where the denylist denies them', async () => {
    const gate = await openMany({ config: defaultConfig({ approval: { denylist: ['call_tool'] } }) });
    expect(listed(gate)).toEqual(['find_tools', 'note']);
    await changed(gate, defaultConfig({ approval: { denylist: ['gatehouse.find_tools'] } }));
    expect(listed(gate)).toEqual(['call_tool', 'note']);
  });

  it('a tool that is not listed and is called by its own name runs', async () => {
    const gate = await openMany({}, [elsewhere('note')]);
    expect(listed(gate)).not.toContain('far__note');
    expect(codes(await gate.submit([{ tool: 'far__note', arguments: { text: 'a' } }], asAgent).settled)).toEqual([
      null,
    ]);
    expect(ran).toEqual(['note:a']);
  });
});

describe('call_tool', () => {
  it('is asked about, shown and recorded as the tool that it calls', async () => {
    const asks = elsewhere('asks', { sideEffecting: true, requiresApproval: true });
    const gate = await openMany({}, [asks]);
    const batch = gate.submit([through('far__asks', { text: 'b' })], asAgent);
    const sheet = await gate.sheet(batch);
    expect(sheet.calls.map(({ tool }) => tool)).toEqual(['far__asks']);
    await gate.decide(batch, { kind: 'approve-all' });
    const [settled] = await batch.settled;
    expect(settled?.summary).toMatchObject({ tool: 'far__asks', toolId: 'far.asks', version: '1.0.0' });
    expect(ran).toEqual(['asks:b']);
    expect(JSON.stringify(gate.events)).not.toContain('call_tool');
    const recorded = await recordOf(gate);
    expect(recorded).toContain('far__asks');
    expect(recorded).not.toContain('call_tool');
  });

  it('runs by a yes to the tool that it calls, and by none to itself', async () => {
    const asks = elsewhere('asks', { sideEffecting: true, requiresApproval: true });
    const remembered = (tool: string) => defaultConfig({ approval: { confirmed: [{ tool }] } });
    const gate = await openMany({ config: remembered('far__asks') }, [asks]);
    expect(codes(await gate.submit([through('far__asks', { text: 'c' })], asAgent).settled)).toEqual([null]);
    gate.config = remembered('call_tool');
    await gate.configChanged();
    const batch = gate.submit([through('far__asks', { text: 'd' })], asAgent);
    await gate.sheet(batch);
    await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
    expect(ran).toEqual(['asks:c']);
  });

  it('is denied where the tool is, and where itself is', async () => {
    const denied = async (...denylist: string[]) => {
      const gate = await openMany({ config: defaultConfig({ approval: { denylist } }) }, [elsewhere('note')]);
      const [settled] = await gate.submit([through('far__note', { text: 'e' })], asAgent).settled;
      return [settled?.failure?.code, settled?.summary.tool, settled?.failure?.message];
    };
    expect(await denied('far.*')).toEqual(['Denylisted', 'far__note', expect.stringContaining('far__note')]);
    expect(await denied('call_tool')).toEqual(['Denylisted', 'far__note', expect.stringContaining('call_tool')]);
    expect(await denied('gatehouse.call_tool')).toEqual(['Denylisted', 'far__note', expect.any(String)]);
    expect(ran).toEqual([]);
  });

  it('calls neither itself nor what nobody has', async () => {
    const gate = await openMany();
    const calls = [
      through('call_tool', { name: 'note', arguments: { text: 'f' } }),
      through('call_tool', {}),
      through('nobody', {}),
      through('CALL_TOOL', {}),
      through('note\u200b', { text: 'f' }),
    ];
    for (const call of calls) {
      const settled = await gate.submit([call], asAgent).settled;
      expect([JSON.stringify(call), ...codes(settled)]).toEqual([JSON.stringify(call), 'UnknownTool']);
    }
  });

  it.each<readonly [string, Json]>([
    ['nothing', {}],
    ['no name', { arguments: {} }],
    ['a number for a name', { name: 1, arguments: {} }],
    ['an empty name', { name: '', arguments: {} }],
    ['more than it takes', { name: 'note', arguments: { text: 'g' }, approved: true }],
    ['a list', ['note', {}]],
    ['text', 'note'],
    ['null', null],
  ])('with %s it is told what it takes, and nothing runs', async (_what, args) => {
    const gate = await openMany();
    const [settled] = await gate.submit([{ tool: 'call_tool', arguments: args }], asAgent).settled;
    expect(settled?.failure).toMatchObject({ code: 'BadArgs', message: expect.stringContaining('(name)') });
  });

  it('without arguments calls with none, and whose arguments don’t fit learns what the tool takes', async () => {
    const gate = await openMany({}, [elsewhere('note')]);
    const [settled] = await gate.submit([{ tool: 'call_tool', arguments: { name: 'far__note' } }], asAgent).settled;
    expect(settled?.summary.tool).toBe('far__note');
    expect(settled?.failure?.code).toBe('BadArgs');
    expect(settled?.failure?.message).toContain(JSON.stringify(noteDeclaration.inputSchema));
    const [direct] = await gate.submit([{ tool: 'far__note', arguments: {} }], asAgent).settled;
    expect(direct?.failure?.message).not.toContain('It takes');
  });

  it('gives no way round what arguments may be', async () => {
    const gate = await openMany({}, [elsewhere('note')]);
    const hostile = JSON.parse('{"text":"h","__proto__":{"text":"evil"}}') as Json;
    for (const args of [hostile, 'text', null, ['x'], { text: 'x'.repeat(2_000_000) }]) {
      const [settled] = await gate.submit([through('far__note', args)], asAgent).settled;
      expect(settled?.failure?.code).not.toBeUndefined();
    }
    expect(ran).toEqual([]);
  });

  it('a long name is recorded under its beginning', async () => {
    const gate = await openMany();
    const [settled] = await gate.submit([through('x'.repeat(100_000), {})], asAgent).settled;
    expect(settled?.summary.tool.length).toBeLessThan(250);
    expect(settled?.failure?.code).toBe('UnknownTool');
  });

  it('what waited when the app stopped is asked again as what it calls', async () => {
    const asks = elsewhere('asks', { sideEffecting: true, requiresApproval: true });
    const before = await openMany({}, [asks]);
    const batch = before.submit([through('far__asks', { text: 'i' })], asAgent);
    await before.sheet(batch);
    await before.close();
    const { dataDir, workspace } = before;
    const after = await openMany({ dataDir, workspace }, [asks]);
    await expect
      .poll(() => after.sheets().flatMap(({ calls }) => calls.map(({ tool }) => tool)))
      .toEqual(['far__asks']);
  });
});

describe('find_tools', () => {
  const found = async (gate: TestGate, args: Json) => {
    const [settled] = await gate.submit([{ tool: 'find_tools', arguments: args }], asAgent).settled;
    return settled;
  };
  const answer = (settled: Awaited<ReturnType<typeof found>>) =>
    JSON.parse(settled?.result.content ?? '{}') as { readonly tools: readonly { readonly name: string }[] };

  it('runs unasked, and what it gives can be called', async () => {
    const gate = await openMany();
    const settled = await found(gate, { query: 'post a message to a channel', limit: 3 });
    expect(settled?.failure).toBeNull();
    const { tools } = answer(settled);
    expect(tools).toHaveLength(3);
    expect(tools[0]).toMatchObject({
      name: 'slack__post_message',
      tool_id: 'slack.post_message',
      source: 'slack',
      description: 'Post a message to a Slack channel',
      score: expect.any(Number),
    });
    expect(settled?.result.structured).toMatchObject({ search: 'words' });
  });

  it('gives ten where nothing else is asked, fifty at most, and nothing to an empty question', async () => {
    const gate = await openMany();
    expect(answer(await found(gate, { query: 'list get create message file' })).tools).toHaveLength(10);
    expect(answer(await found(gate, { query: '' })).tools).toEqual([]);
    for (const args of [{ query: 'x', limit: 51 }, { query: 'x', limit: 0 }, { query: 'x'.repeat(4001) }, {}])
      expect((await found(gate, args))?.failure?.code).toBe('BadArgs');
    expect((await found(gate, { query: `${'x'.repeat(3990)} message` }))?.failure).toBeNull();
  });

  it('tells of no tool that is denied, nor of the person’s own', async () => {
    const gate = await openMany({ config: defaultConfig({ approval: { denylist: ['slack.*'] } }) });
    const { tools } = answer(await found(gate, { query: 'post a message to a Slack channel, find tools', limit: 50 }));
    expect(tools.filter(({ name }) => name.startsWith('slack') || name === 'find_tools')).toEqual([]);
  });

  it('is recorded without what looks like a secret in its question', async () => {
    const gate = await openMany();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    await found(gate, { query: `post a message with ${secret}` });
    const recorded = await recordOf(gate);
    expect(recorded).toContain('post a message with');
    expect(recorded).not.toContain(secret);
  });

  it('leaves no text behind that taints', async () => {
    const gate = await openMany();
    await found(gate, { query: 'post a message to a channel' });
    expect(gate.journal.given.all()).toEqual([]);
  });
});
