import { expect, it } from 'vitest';
import type { Verdict } from '../authorize.js';
import { readPlainCommand } from '../../commands/shell/plain-command.js';
import { type RuleFacts, describeRule } from './rule-remarks.js';
import type { LiveRule } from './standing-confirmation.js';

const RUN = { name: 'run_command', id: 'gatehouse.run_command', version: '1.0.0', isCommand: true };
const WRITE = { name: 'write_file', id: 'gatehouse.write_file', version: '1.0.0', isCommand: false };
const ASKS: Verdict = {
  kind: 'ask',
  layer: 'tool',
  id: 'tool.approval',
  words: '',
  for: 'decision',
  confirmable: true,
};
const NOW = Date.parse('2026-11-19');

function said(rule: Omit<LiveRule, 'tool'>, more: Partial<RuleFacts> = {}, others: readonly LiveRule[] = []) {
  const words = rule.command ?? rule.prefix;
  const reading = words === undefined ? null : readPlainCommand(words);
  const facts: RuleFacts = {
    tool: RUN,
    verdict: ASKS,
    analysis:
      reading === null ? null : { read: reading.understood ? reading.commands : null, obstacles: [], dangers: [] },
    confinement: { inForce: 'confined', bySettings: 'confined' },
    folder: 'there',
    agent: 'known',
    ...more,
  };
  return describeRule({ tool: facts.tool?.name ?? 'gone', ...rule }, facts, others, NOW);
}

it('has nothing to say of a rule that does what it says', () => {
  expect(said({ command: 'npm test' })).toEqual([]);
  expect(said({ prefix: 'npm run', workspace: '/w', agent: 'claude', expires: '2027-01-01' })).toEqual([]);
  expect(said({}, { tool: WRITE })).toEqual([]);
});

it.each<[string, Omit<LiveRule, 'tool'>, Partial<RuleFacts>]>([
  ['ended on 2026-01-01', { command: 'npm test', expires: '2026-01-01' }, {}],
  ['folder is gone', { command: 'npm test', workspace: '/gone' }, { folder: 'gone' }],
  ['was revoked', { command: 'npm test', agent: 'claude' }, { agent: 'revoked' }],
  ['no tool', { command: 'npm test' }, { tool: null, verdict: null }],
  ['names no command', {}, {}],
  ['runs no commands', { command: 'npm test' }, { tool: WRITE }],
  [
    'ask every time: publishes',
    { command: 'git push' },
    { analysis: { read: [], obstacles: [], dangers: ['publishes'] } },
  ],
  ['can’t be read with certainty', { prefix: 'npm run && npm test' }, {}],
  ['less sandboxing', { command: 'npm test' }, { confinement: { inForce: 'unconfined', bySettings: 'confined' } }],
  [
    'on the denylist',
    { command: 'npm test' },
    {
      verdict: {
        kind: 'deny',
        layer: 'settings',
        id: 'settings.denylist',
        words: 'It is on the denylist.',
        failure: { code: 'Denylisted', message: '' },
      },
    },
  ],
  ['only wait', { command: 'npm test' }, { verdict: { ...ASKS, words: 'Tools only wait.', confirmable: false } }],
])('says of a rule that can never apply: %s', (words, rule, facts) => {
  const [first] = said(rule, facts);
  expect(first).toMatchObject({ never: true });
  expect(first?.words).toContain(words);
});

it('says what is good to know of one that applies', () => {
  const note = (...given: Parameters<typeof said>) => said(...given).map(({ never, words }) => [never, words]);
  // A name without a token has no rules.
  expect(note({ command: 'npm test', agent: 'new' }, { agent: 'unknown' })).toEqual([
    [true, expect.stringContaining('new has no token') as string],
  ]);
  expect(note({ prefix: 'curl' })).toEqual([[false, expect.stringContaining('exactly these words') as string]]);
  const runs: Verdict = { kind: 'run', layer: 'settings', id: 'settings.allowlist', words: 'On the allowlist.' };
  expect(note({}, { tool: WRITE, verdict: runs })).toEqual([[false, 'Not needed: On the allowlist.']]);
});

it('names a wider rule that covers it already, never one that is narrower', () => {
  const covered = (rule: Omit<LiveRule, 'tool'>, other: Omit<LiveRule, 'tool'>) =>
    said(rule, {}, [{ tool: 'run_command', ...other }]).length > 0;
  expect(covered({ command: 'npm run x' }, { prefix: 'npm run' })).toBe(true);
  expect(covered({ command: 'npm run x', workspace: '/w', agent: 'a' }, { command: 'npm run x' })).toBe(true);
  expect(covered({ command: 'npm run x' }, { prefix: 'npm run', workspace: '/w' })).toBe(false);
  expect(covered({ command: 'npm run x' }, { prefix: 'npm run', agent: 'a' })).toBe(false);
  expect(said({ command: 'npm run x' }, {}, [{ tool: 'run_command', prefix: 'npm run', session: 's' }])).toEqual([]);
  expect(covered({ command: 'npm run x' }, { prefix: 'npm run', expires: '2026-01-01' })).toBe(false);
});
