import { expect, it } from 'vitest';
import type { EarlierQuestion } from '../../domain/ports/journal.js';
import type { LiveRule } from '../../domain/policy/remembered/standing-confirmation.js';
import { readPlainly } from '../../domain/commands/reading/reading.test-support.js';
import { noteTool } from '../../tools/builtin/tools.test-support.js';
import { ruleOfSuggestion, suggestionsFrom } from './rule-suggestions.js';

const tool = noteTool({ name: 'run', requiredCapabilities: ['process.run'] });

const PUSH = { kind: 'publishes', start: 0, end: 8, words: 'publishes' } as const;

const asked = (text: string, times: number, more: Partial<EarlierQuestion> = {}): readonly EarlierQuestion[] =>
  Array.from({ length: times }, (_, at) => ({
    callId: `${text}${at}`,
    tool: 'run',
    toolId: tool.declaration.id,
    summary: text,
    arguments: { text },
    agent: null,
    rule: 'tool.approval',
    denied: false,
    ...more,
  }));

const suggested = (all: readonly EarlierQuestion[], rules: readonly LiveRule[] = []) =>
  suggestionsFrom(all, {
    registry: { lookup: (name: string) => (name === 'run' ? { tool } : null) } as never,
    analyzer: {
      analyze: async (command) => {
        const reading = readPlainly(command);
        return command.startsWith('git push') ? { ...reading, neverRemembered: ['publishes'], found: [PUSH] } : reading;
      },
    },
    roots: ['/w'],
    workspace: '/w',
    rules,
    now: 0,
  });

it('a suggestion groups what one rule could answer, by who asked', async () => {
  const found = await suggested([
    ...asked('npm run a', 3),
    ...asked('npm run b', 2),
    ...asked('npm run a', 3, { agent: 'claude' }),
    ...asked('mytool x', 4),
    ...asked('ls', 2),
  ]);
  expect(found).toMatchObject([
    { asked: 5, agent: null, commands: ['npm run a', 'npm run b'], rule: { prefix: 'npm run', command: 'npm run a' } },
    { asked: 4, commands: ['mytool x'], rule: { prefix: null, command: 'mytool x' } },
    { asked: 3, agent: 'claude' },
  ]);
  expect(new Set(found.map(({ id }) => id)).size).toBe(3);
});

it('nothing is suggested that no rule may answer, that was denied, or that a rule answers already', async () => {
  expect(await suggested(asked('git push origin', 9))).toEqual([]);
  expect(await suggested(asked('npm run a', 9, { rule: 'tool.wish' }))).toEqual([]);
  expect(await suggested(asked('npm run a', 9, { rule: 'agent.ask' }))).toEqual([]);
  expect(await suggested(asked('npm run *', 9))).toEqual([]);
  expect(await suggested([...asked('npm run a', 9), ...asked('npm run b', 1, { denied: true })])).toEqual([]);
  expect(await suggested(asked('npm run a', 9), [{ tool: 'run', prefix: 'npm run' }])).toEqual([]);
  expect(await suggested(asked('npm run a', 9), [{ tool: 'run', prefix: 'npm run', agent: 'claude' }])).toHaveLength(1);
  expect(await suggested(asked('npm run a', 9, { toolId: 'another.tool' }))).toEqual([]);
});

it('a suggestion becomes the rule that main holds, and none for an asker without a name', async () => {
  const [mine] = await suggested(asked('npm run a', 3, { agent: 'claude' }));
  const [anyones] = await suggested(asked('npm run a', 3));
  if (mine === undefined || anyones === undefined) throw new Error('Nothing was suggested.');
  const wanted = { what: 'first-words', who: 'asker', where: 'here', until: 'quit' } as const;
  expect(ruleOfSuggestion(mine, wanted)).toEqual({ tool: 'run', prefix: 'npm run', agent: 'claude' });
  expect(ruleOfSuggestion(mine, { ...wanted, what: 'whole', who: 'all' })).toEqual({
    tool: 'run',
    command: 'npm run a',
  });
  expect(ruleOfSuggestion(anyones, wanted)).toBeNull();
});
