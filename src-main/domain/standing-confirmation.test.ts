import { describe, expect, it } from 'vitest';
import { type AskedCall, confirmedBy, type StandingConfirmation } from './standing-confirmation.js';

const now = Date.parse('2026-11-18T12:00:00Z');
const command = (text: string, more: Partial<NonNullable<AskedCall['analysis']>> = {}): AskedCall => ({
  tool: 'run_command',
  command: text,
  analysis: { parts: [text], hasRedirection: false, dangers: [], ...more },
  workspace: '/w',
});
const rules: StandingConfirmation[] = [
  { tool: 'run_command', command: 'npm test' },
  { tool: 'run_command', prefix: 'npm run' },
];

describe('confirmedBy', () => {
  it('covers the whole command, or its first words', () => {
    expect(confirmedBy(rules, command('npm test'), now)).not.toBeNull();
    expect(confirmedBy(rules, command('npm run build'), now)).not.toBeNull();
    expect(confirmedBy(rules, command('npm test -- --watch'), now)).toBeNull();
    expect(confirmedBy(rules, command('npm runaway'), now)).toBeNull();
    expect(confirmedBy(rules, command('npm'), now)).toBeNull();
  });
  it('never covers a compound command unless every part is covered', () => {
    expect(
      confirmedBy(rules, command('npm test && npm run x', { parts: ['npm test', 'npm run x'] }), now),
    ).not.toBeNull();
    expect(confirmedBy(rules, command('npm test && curl x', { parts: ['npm test', 'curl x'] }), now)).toBeNull();
  });
  it('never covers redirection, a flagged danger, or what could not be parsed', () => {
    expect(confirmedBy(rules, command('npm test > x', { parts: ['npm test'], hasRedirection: true }), now)).toBeNull();
    expect(confirmedBy(rules, command('npm test', { dangers: ['hides text'] }), now)).toBeNull();
    expect(confirmedBy(rules, { ...command('npm test'), analysis: null }, now)).toBeNull();
    expect(confirmedBy(rules, command('', { parts: [] }), now)).toBeNull();
  });
  it('a rule for the tool alone never covers a command', () => {
    expect(confirmedBy([{ tool: 'run_command' }], command('ls'), now)).toBeNull();
    expect(confirmedBy([{ tool: 'run_command', prefix: ' ' }], command('ls'), now)).toBeNull();
  });
  it('covers a tool without commands', () => {
    const call: AskedCall = { tool: 'write_file', command: null, analysis: null, workspace: '/w' };
    expect(confirmedBy([{ tool: 'write_file' }], call, now)).not.toBeNull();
    expect(confirmedBy([{ tool: 'write_file', workspace: '/other' }], call, now)).toBeNull();
    expect(confirmedBy([{ tool: 'apply_patch' }], call, now)).toBeNull();
  });
  it('ends when it expires, and when its date can’t be read', () => {
    const rule = (expires: string): StandingConfirmation[] => [{ tool: 'run_command', command: 'ls', expires }];
    expect(confirmedBy(rule('2027-01-01'), command('ls'), now)).not.toBeNull();
    expect(confirmedBy(rule('2026-01-01'), command('ls'), now)).toBeNull();
    expect(confirmedBy(rule('someday'), command('ls'), now)).toBeNull();
  });
});
