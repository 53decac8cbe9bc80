import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { AgentStatus } from '../../domain/ports/agents.js';
import type { NewRule } from '../../domain/ports/gate/standing-rules.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate, testFolder } from './gate.test-support.js';

/** `loose` and `strict` have tokens and settings of their own, `plain` a token alone; `taken` is a name with neither. */
const STATUS: Record<string, AgentStatus> = { loose: 'known', strict: 'known', plain: 'known' };

type Own = Config['gateway']['agents'];
const LOOSE = { name: 'loose', edits: 'collect', allow_absolute: true } as const;

const withAgents = (agents: Own, changes: Parameters<typeof defaultConfig>[0] = {}): Config => {
  const config = defaultConfig(changes);
  return { ...config, gateway: { ...config.gateway, agents } };
};

async function gateWith(config: Config, remembered: NewRule[] = []) {
  const workspace = testFolder('workspace');
  writeFileSync(join(workspace, 'a.txt'), 'one\n');
  const gate = await openTestGate({
    tools: [readFileTool, writeFileTool],
    workspace,
    config,
    sealingKey: new Uint8Array(32).fill(7),
    parts: {
      statusOf: (agent) => STATUS[agent] ?? 'unknown',
      confirmations: { session: [], remember: async (rule) => void remembered.push(rule) },
    },
  });
  const submit = (agent: string | null, tool: string, args: JsonObject) =>
    gate.submit([{ tool, arguments: args }], { door: 'mcp', client: 'loose 1', agent });
  /** Whether it asked; null where it was settled already. */
  const isAsked = async (agent: string | null, args: JsonObject, tool = 'write_file'): Promise<boolean> => {
    const batch = submit(agent, tool, args);
    const asked = await Promise.race([gate.sheet(batch).then(() => true), batch.settled.then(() => false)]);
    if (asked) await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
    return asked;
  };
  return { gate, submit, isAsked };
}

let count = 0;
const fresh = (): JsonObject => ({ path: `new-${(count += 1)}.txt`, content: 'x' });

describe('how one agent is asked', () => {
  it('is its own where the person said so, by the name of its token alone', async () => {
    const { isAsked } = await gateWith(withAgents([LOOSE, { ...LOOSE, name: 'taken' }]));
    expect(await isAsked('loose', fresh())).toBe(false);
    for (const other of ['plain', 'taken', null]) expect(await isAsked(other, fresh()), String(other)).toBe(true);
  });

  it('may be stricter than for all', async () => {
    const balanced = { edits: 'collect' as const };
    const { approval } = defaultConfig().tools;
    const { isAsked } = await gateWith(
      withAgents([{ name: 'strict', edits: 'ask' }], { approval: { ...approval, ...balanced } }),
    );
    expect(await isAsked('plain', fresh())).toBe(false);
    expect(await isAsked('strict', fresh())).toBe(true);
  });

  it('reaches to the paths that it may name, and to files of secrets', async () => {
    const { gate, submit } = await gateWith(withAgents([LOOSE, { name: 'strict', secrets: 'deny' }]));
    writeFileSync(join(gate.workspace, '.env'), 'KEY=value-of-it\n');
    const codeOf = async (agent: string, path: string): Promise<string | null> => {
      const batch = submit(agent, 'read_file', { path });
      const code = await Promise.race([
        batch.settled.then(([settled]) => settled?.failure?.code ?? 'ran'),
        gate.sheet(batch).then(() => 'asks'),
      ]);
      if (code === 'asks') await gate.decide(batch, { kind: 'deny-all' });
      await batch.settled;
      return code;
    };
    const absolute = join(gate.workspace, 'a.txt');
    expect(await codeOf('loose', absolute)).toBe('ran');
    expect(await codeOf('plain', absolute)).toBe('PathOutsideSandbox');
    expect(await codeOf('loose', '/etc/hostname')).toBe('PathOutsideSandbox');
    expect(await codeOf('strict', '.env')).toBe('DeniedPatternMatched');
    expect(await codeOf('plain', '.env')).toBe('asks');
  });

  it('is looked at again before a call runs: what was let run for it is not, once that is no longer so', async () => {
    const { gate, submit } = await gateWith(withAgents([LOOSE]));
    const batch = submit('loose', 'write_file', { path: 'b.txt', content: 'b' });
    gate.config = withAgents([]);
    const changed = gate.configChanged();
    const outcome = await Promise.race([
      batch.settled.then(([settled]) => settled?.failure?.code ?? 'ran'),
      gate.sheet(batch).then(() => 'asks'),
    ]);
    await changed;
    expect(['asks', 'NoDecision']).toContain(outcome);
    if (outcome === 'asks') await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
  });

  it('of two lines for one agent the stricter counts', async () => {
    const { isAsked } = await gateWith(withAgents([LOOSE, { name: 'loose', edits: 'ask' }]));
    expect(await isAsked('loose', fresh())).toBe(true);
  });
});

describe('a name that no token stands for', () => {
  const rule = (agent: string) => ({ tool: 'write_file', agent });
  const ruled = (agent: string) =>
    withAgents([], { approval: { ...defaultConfig().tools.approval, confirmed: [rule(agent)] } });

  it('has none of the rules of that name', async () => {
    const { isAsked } = await gateWith(ruled('plain'));
    expect(await isAsked('plain', fresh())).toBe(false);
    const { isAsked: isTakenAsked } = await gateWith(ruled('taken'));
    expect(await isTakenAsked('taken', fresh())).toBe(true);
  });

  it('is told from an agent on the sheet at once, when a token is made for it', async () => {
    const { gate, submit } = await gateWith(defaultConfig());
    const batch = submit('soon', 'write_file', fresh());
    const before = await gate.sheet(batch);
    expect(before.hasToken).toBe(false);
    STATUS['soon'] = 'known';
    await gate.desk.refresh();
    const now = await gate.sheet(batch);
    expect([now.hasToken, now.digest === before.digest]).toEqual([true, false]);
    await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
  });

  it('gets a rule for its session at most, whatever the window wants', async () => {
    const remembered: NewRule[] = [];
    const { gate, submit } = await gateWith(defaultConfig(), remembered);
    const wanted = { what: 'whole', who: 'asker', where: 'here', until: 'quit' } as const;
    for (const [agent, owner] of [
      ['plain', { agent: 'plain' }],
      ['taken', { session: expect.any(String) as string }],
    ] as const) {
      const batch = submit(agent, 'write_file', fresh());
      expect((await gate.sheet(batch)).hasToken).toBe(agent === 'plain');
      await gate.decide(batch, { kind: 'approve-all' }, { rule: wanted });
      await batch.settled;
      expect(remembered.at(-1)).toMatchObject({ tool: 'write_file', ...owner });
    }
    expect(remembered.at(-1)).not.toHaveProperty('agent');
    const batch = submit('taken', 'write_file', fresh());
    await gate.sheet(batch);
    const always = { ...wanted, until: 'always' } as const;
    await expect(gate.decide(batch, { kind: 'approve-all' }, { rule: always })).rejects.toThrow(
      'ends with the session',
    );
    await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
  });
});
