import { describe, expect, it } from 'vitest';
import type { SettingView } from '#contract/window/settings.js';
import { fromText, groupName, matches, settingName, toText } from './setting-values.js';

const setting = (extra: Partial<SettingView>): SettingView => ({
  key: 'tools.output.max_bytes',
  group: 'tools.output',
  description: 'The most that a caller gets of one result.',
  type: 'number',
  choices: null,
  minimum: 1,
  value: 102_400,
  defaultValue: 102_400,
  source: 'default',
  ...extra,
});

describe('values of settings', () => {
  it.each([
    ['2_048', { ok: true, value: 2048 }],
    ['2 048', { ok: true, value: 2048 }],
    ['0', { ok: false, problem: 'The least is 1.' }],
    ['', { ok: false, problem: 'This is a number.' }],
    ['many', { ok: false, problem: 'This is a number.' }],
    ['Infinity', { ok: false, problem: 'This is a number.' }],
  ])('reads the number %j', (text, parsed) => {
    expect(fromText(setting({}), text)).toEqual(parsed);
  });

  it('reads lists by line and gives them back the same', () => {
    const list = setting({ type: 'list', value: ['**/.ssh/**', '**/*.pem'] });
    expect(fromText(list, `${toText(list)}\n\n  secrets/ `)).toEqual({
      ok: true,
      value: ['**/.ssh/**', '**/*.pem', 'secrets/'],
    });
  });

  it('reads tables as JSON, and only lists of them', () => {
    const tables = setting({ type: 'table-list', value: [{ tool: 'run_command', prefix: 'npm run' }] });
    expect(fromText(tables, toText(tables))).toEqual({ ok: true, value: tables.value });
    expect(fromText(tables, '{}')).toMatchObject({ ok: false });
    expect(fromText(tables, '[')).toMatchObject({ ok: false });
  });

  it('shows strings as they are and booleans as words', () => {
    expect(toText(setting({ type: 'string', value: 'a "b"' }))).toBe('a "b"');
    expect(toText(setting({ type: 'boolean', value: true }))).toBe('true');
  });
});

it('names keys and groups in words', () => {
  expect(settingName('tools.output.max_bytes')).toBe('Max bytes');
  expect(groupName('tools.run_command')).toBe('Commands');
  expect(groupName('something.new_here')).toBe('New here');
});

it('finds settings by any of their words', () => {
  expect(matches(setting({}), 'caller bytes')).toBe(true);
  expect(matches(setting({}), 'caller network')).toBe(false);
  expect(matches(setting({}), '')).toBe(true);
});
