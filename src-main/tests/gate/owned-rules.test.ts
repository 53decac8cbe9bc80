import { beforeEach, expect, it } from 'vitest';
import type { SessionRule } from '../../domain/ports/gate/standing-rules.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { ruleIdOf } from '../../gate/planner/rule-id.js';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate } from './gate.test-support.js';

const ran: string[] = [];
let whenRun: (text: string) => Promise<void> = async () => undefined;
beforeEach(() => {
  ran.length = 0;
  whenRun = async () => undefined;
});

const input = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['command'],
  properties: { command: { type: 'string', description: 'What would be run.' } },
};
const commandTool = noteTool(
  {
    name: 'command',
    nature: 'command',
    sideEffecting: true,
    requiredCapabilities: ['process.run'],
    inputSchema: input,
  },
  {
    parse: ({ command }) => ({ text: command as string }),
    execute: async ({ text }) => {
      ran.push(text);
      await whenRun(text);
      return noteOutput(text);
    },
  },
);
const call = (text: string) => ({ tool: 'command', arguments: { command: text } });
type Confirmed = Parameters<typeof defaultConfig>[0];
const withRules = (...confirmed: readonly object[]): ReturnType<typeof defaultConfig> =>
  defaultConfig({ approval: { confirmed } } as Confirmed);

async function gateWith(...confirmed: readonly object[]) {
  const session: SessionRule[] = [];
  const confirmations = { session, remember: async () => undefined };
  const gate = await openTestGate({ tools: [commandTool], config: withRules(...confirmed), parts: { confirmations } });
  const isAsked = async (who: Parameters<typeof gate.submit>[1], text = 'ls'): Promise<boolean> => {
    const batch = gate.submit([call(text)], { door: 'mcp', ...who });
    const asked = await Promise.race([gate.sheet(batch).then(() => true), batch.settled.then(() => false)]);
    if (asked) await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
    return asked;
  };
  return { gate, session, isAsked };
}

it('A rule of one agent lets nobody else in, whatever they call themselves', async () => {
  const { isAsked } = await gateWith({ tool: 'command', command: 'ls', agent: 'claude' });
  expect(await isAsked({ agent: 'claude', client: 'x 1' })).toBe(false);
  expect(await isAsked({ agent: 'claude', client: 'renamed 2', sessionId: 'other' })).toBe(false);
  expect(await isAsked({ agent: 'codex', client: 'claude 1', sessionId: 'codexs' })).toBe(true);
  expect(await isAsked({ agent: null, client: 'claude' })).toBe(true);
});

it('A rule of one session lets no other in, of the same client or agent', async () => {
  const { isAsked, session } = await gateWith();
  session.push({ id: 'session-1', tool: 'command', command: 'ls', session: 's1' });
  expect(await isAsked({ client: 'x 1', sessionId: 's1' })).toBe(false);
  expect(await isAsked({ client: 'x 1', sessionId: 's2' })).toBe(true);
  expect(await isAsked({ client: 's1', agent: 's1', sessionId: 's3' })).toBe(true);
});

const MINE = { tool: 'command', command: 'ls', agent: 'claude' };
const EVERYBODYS = { tool: 'command', command: 'ls' };

it.each([
  ['is gone', []],
  ['is gone, and another one has its words', [EVERYBODYS]],
])('A call that waits its turn does not run by a rule that %s', async (_, left) => {
  const { gate } = await gateWith({ tool: 'command', command: 'pwd' }, MINE);
  whenRun = async (text) => {
    if (text !== 'pwd') return;
    gate.config = withRules({ tool: 'command', command: 'pwd' }, ...left);
    await gate.configChanged();
  };
  const settled = await gate.submit([call('pwd'), call('ls')], { door: 'mcp', agent: 'claude' }).settled;
  expect(codes(settled)).toEqual([null, 'NoDecision']);
  expect(ran).toEqual(['pwd']);
});

it('The record names the rule by what it says, wherever it stands in the file', async () => {
  const { gate } = await gateWith(MINE);
  const by: string[] = [];
  gate.journal.onCommit((events) => {
    for (const event of events) if (event.type === 'call-authorized') by.push(event.grant.from.id);
  });
  await gate.submit([call('ls')], { door: 'mcp', agent: 'claude' }).settled;
  gate.config = withRules({ tool: 'command', command: 'pwd' }, MINE);
  await gate.configChanged();
  await gate.submit([call('ls')], { door: 'mcp', agent: 'claude' }).settled;
  expect(by).toEqual([`confirmation:${ruleIdOf(MINE)}`, `confirmation:${ruleIdOf(MINE)}`]);
});
