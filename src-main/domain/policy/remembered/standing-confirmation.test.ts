import { describe, expect, it } from 'vitest';
import { readPlainCommand } from '../../commands/shell/plain-command.js';
import { type AskedCall, findCoverage, type StandingConfirmation } from './standing-confirmation.js';

const now = Date.parse('2026-11-18T12:00:00Z');
const runCommand = { name: 'run_command', id: 'gatehouse.run_command', version: '1.0.0' };
type Analysis = NonNullable<AskedCall['analysis']>;
const command = (text: string, more: Partial<Analysis> = {}, call: Partial<AskedCall> = {}): AskedCall => {
  const reading = readPlainCommand(text);
  return {
    tool: runCommand,
    analysis: { read: reading.understood ? reading.commands : null, obstacles: [], dangers: [], ...more },
    workspace: '/w',
    leadsTo: null,
    agent: null,
    session: 's',
    confinement: { inForce: 'confined', bySettings: 'confined' },
    ...call,
  };
};
const rules: StandingConfirmation[] = [
  { tool: 'run_command', command: 'npm test' },
  { tool: 'run_command', prefix: 'npm run' },
];
const isCovered = (given: readonly StandingConfirmation[], call: AskedCall): boolean =>
  findCoverage(given, call, now).covered;

describe('what the person’s rules cover', () => {
  it('is the whole command, or its first words', () => {
    expect(isCovered(rules, command('npm test'))).toBe(true);
    expect(isCovered(rules, command('npm   "test"'))).toBe(true);
    expect(isCovered(rules, command('npm run build'))).toBe(true);
    expect(isCovered(rules, command('npm test -- --watch'))).toBe(false);
    expect(isCovered(rules, command('npm runaway'))).toBe(false);
    expect(isCovered(rules, command('npm'))).toBe(false);
  });
  it('is a compound command only where every part is covered, or a filter at the end of a pipe', () => {
    expect(isCovered(rules, command('npm test && npm run x'))).toBe(true);
    expect(isCovered(rules, command('npm test && curl x'))).toBe(false);
    expect(isCovered(rules, command('npm test 2>&1 | grep -i fail | head -20'))).toBe(true);
    expect(isCovered(rules, command('npm test | tee out'))).toBe(false);
    expect(isCovered(rules, command('npm test | sort -o out'))).toBe(false);
    expect(isCovered(rules, command('npm test | grep x src/secret'))).toBe(false);
    expect(isCovered(rules, command('npm test; head -5'))).toBe(false);
    expect(isCovered(rules, command('head -5'))).toBe(false);
    const compound: StandingConfirmation[] = [{ tool: 'run_command', command: 'a x && b y' }];
    expect(isCovered(compound, command('a x  &&  b y'))).toBe(true);
    expect(isCovered(compound, command('a x; b y'))).toBe(false);
    expect(isCovered(compound, command('a x'))).toBe(false);
  });
  it('is not hindered by streams that are joined or dropped, nor by harmless variables', () => {
    for (const text of ['npm test 2>&1', 'npm test >/dev/null 2>&1', 'CI=1 NO_COLOR=1 npm test'])
      expect(isCovered(rules, command(text))).toBe(true);
    for (const text of ['npm test > x', 'npm test < x', 'PATH=. npm test', 'npm test >/dev/nul', 'npm test &'])
      expect(isCovered(rules, command(text))).toBe(false);
  });
  it('is of the folder where a cd leads, and nowhere where that is not certain', () => {
    const covers = (rule: Omit<StandingConfirmation, 'tool'>, text: string, leadsTo: string | null): boolean =>
      isCovered([{ tool: 'run_command', ...rule }], command(text, {}, { leadsTo }));
    const text = 'cd sub && npm test';
    expect(covers({ command: 'npm test' }, text, '/w/sub')).toBe(true);
    expect(covers({ command: 'npm test', workspace: '/w/sub' }, text, '/w/sub')).toBe(true);
    expect(covers({ command: 'npm test', workspace: '/w' }, text, '/w/sub')).toBe(false);
    expect(covers({ command: 'npm test', workspace: '/w' }, 'cd /w && npm test', '/w')).toBe(true);
    // All of it as it was confirmed is of the folder that it begins in.
    expect(covers({ command: text, workspace: '/w' }, text, '/w/sub')).toBe(true);
    expect(covers({ command: text, workspace: '/w/sub' }, text, '/w/sub')).toBe(false);
    for (const rule of [{ command: 'npm test' }, { command: text }]) expect(covers(rule, text, null)).toBe(false);
    expect(findCoverage(rules, command(text, {}, { leadsTo: '/w/sub' }), now)).toMatchObject({
      // CDPATH is for names that do not say where they are.
      runs: "cd './sub' && 'npm' 'test'",
    });
    expect(findCoverage(rules, command('time npm test'), now)).toMatchObject({ runs: "time 'npm' 'test'" });
  });
  it('is never a flagged danger, an obstacle, or what could not be read', () => {
    expect(isCovered(rules, command('npm test', { dangers: ['hides text'] }))).toBe(false);
    expect(isCovered(rules, command('npm test', { obstacles: ['outside'] }))).toBe(false);
    expect(isCovered(rules, command('npm test', { read: null }))).toBe(false);
    expect(isCovered(rules, command('npm test', { read: [] }))).toBe(false);
  });
  it('is not looked for in more parts than a person would look through', () => {
    expect(isCovered(rules, command(Array.from({ length: 50 }, () => 'npm test').join(';')))).toBe(true);
    expect(isCovered(rules, command(Array.from({ length: 51 }, () => 'npm test').join(';')))).toBe(false);
  });
  it('gives the words that were read to run', () => {
    expect(findCoverage(rules, command('npm   run "build"'), now)).toMatchObject({
      covered: true,
      runs: "'npm' 'run' 'build'",
      used: [rules[1]],
    });
  });
  it('is no command where the rule is for the tool alone', () => {
    expect(isCovered([{ tool: 'run_command' }], command('ls'))).toBe(false);
    expect(isCovered([{ tool: 'run_command', prefix: ' ' }], command('ls'))).toBe(false);
  });
  it('is a tool by its name, its id, one version, or its group', () => {
    for (const tool of ['run_command', 'gatehouse.run_command', 'gatehouse.run_command@1.0.0', 'gatehouse.*'])
      expect(isCovered([{ tool, command: 'npm test' }], command('npm test'))).toBe(true);
    for (const tool of ['gatehouse.run_command@1.0.1', 'gatehouse', 'other.*', 'other.run_command'])
      expect(isCovered([{ tool, command: 'npm test' }], command('npm test'))).toBe(false);
  });
  it('is a tool without commands', () => {
    const tool = { name: 'write_file', id: 'gatehouse.write_file', version: '1.2.0' };
    const call: AskedCall = {
      tool,
      analysis: null,
      workspace: '/w',
      leadsTo: null,
      agent: null,
      session: 's',
      confinement: null,
    };
    expect(findCoverage([{ tool: 'write_file' }], call, now)).toMatchObject({ covered: true, runs: null });
    expect(isCovered([{ tool: 'write_file', workspace: '/other' }], call)).toBe(false);
    expect(isCovered([{ tool: 'apply_patch' }], call)).toBe(false);
  });
  it('ends when it expires, and when its date can’t be read', () => {
    const rule = (expires: string): StandingConfirmation[] => [{ tool: 'run_command', command: 'ls', expires }];
    expect(isCovered(rule('2027-01-01'), command('ls'))).toBe(true);
    expect(isCovered(rule('2026-01-01'), command('ls'))).toBe(false);
    expect(isCovered(rule('someday'), command('ls'))).toBe(false);
  });
  it('is one agent’s where the rule says so', () => {
    const rule: StandingConfirmation[] = [{ tool: 'run_command', command: 'ls', agent: 'a' }];
    expect(isCovered(rule, command('ls', {}, { agent: 'a' }))).toBe(true);
    expect(isCovered(rule, command('ls', {}, { agent: 'b' }))).toBe(false);
    expect(isCovered(rule, command('ls'))).toBe(false);
  });
});

describe('how closely commands are held', () => {
  const LEVELS = ['unconfined', 'network', 'confined'] as const;
  it.each([undefined, ...LEVELS])('a rule that says %s holds with no less, and says so', (confinement) => {
    for (const [index, inForce] of LEVELS.entries()) {
      for (const [settings, bySettings] of LEVELS.entries()) {
        const rule: StandingConfirmation = {
          tool: 'run_command',
          command: 'ls',
          ...(confinement === undefined ? {} : { confinement }),
        };
        const coverage = findCoverage([rule], command('ls', {}, { confinement: { inForce, bySettings } }), now);
        const least = confinement === undefined ? settings : LEVELS.indexOf(confinement);
        expect(coverage.covered).toBe(index >= least);
        if (!coverage.covered) expect(coverage.why).toContain('less sandboxing');
      }
    }
  });
});
