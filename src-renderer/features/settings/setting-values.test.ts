import { describe, expect, it } from 'vitest';
import { ConfigSchema } from '#contract/vocabulary/config.js';
import type { SettingView } from '#contract/window/settings.js';
import { readNumber, SIZES, chooseSize } from './quantity.js';
import { parseList, formatList, matches } from './setting-values.js';
import { OTHER_SECTIONS, matchesWords, SECTIONS, SETTING_LABELS } from './setting-labels.js';

const setting = (extra: Partial<SettingView>): SettingView => ({
  key: 'tools.output.max_bytes',
  description: 'The most an agent gets of one result.',
  type: 'number',
  choices: null,
  minimum: 1,
  isMore: false,
  maximum: 1000,
  value: 102_400,
  defaultValue: 102_400,
  source: 'default',
  ...extra,
});

describe('values of settings', () => {
  it.each([
    ['1_024', { ok: false, problem: 'Must be 1,000 or less.' }],
    ['9 00', { ok: true, value: 900 }],
    ['0', { ok: false, problem: 'Must be 1 or more.' }],
    ['', { ok: false, problem: 'Enter a number.' }],
    ['many', { ok: false, problem: 'Enter a number.' }],
    ['Infinity', { ok: false, problem: 'Enter a number.' }],
  ])('reads the number %j', (text, parsed) => {
    expect(readNumber(text, setting({}))).toEqual(parsed);
  });

  it('reads what must be more than its bound, and sizes in their unit', () => {
    expect(readNumber('0', { minimum: 0, isMore: true, maximum: null })).toEqual({
      ok: false,
      problem: 'Must be more than 0.',
    });
    expect(readNumber('1.5', { minimum: 1, isMore: false, maximum: null }, SIZES.KB)).toEqual({
      ok: true,
      value: 1536,
    });
    expect(readNumber('3', { minimum: 1, isMore: false, maximum: 2048 }, SIZES.KB)).toEqual({
      ok: false,
      problem: 'Must be 2 or less.',
    });
    expect([102_400, 1_073_741_824, 1000, 0].map(chooseSize)).toEqual(['KB', 'GB', 'B', 'B']);
  });

  it('reads lists by line and gives them back the same', () => {
    const list = setting({ type: 'list', value: ['**/.ssh/**', '**/*.pem'] });
    expect(parseList(`${formatList(list)}\n\n  secrets/ `)).toEqual(['**/.ssh/**', '**/*.pem', 'secrets/']);
  });
});

it('finds settings by any of their words', () => {
  expect(matches(setting({}), 'largest agent')).toBe(true);
  expect(matches(setting({}), 'max_bytes')).toBe(true);
  expect(matches(setting({}), 'agent network')).toBe(false);
  expect(matches(setting({}), '')).toBe(true);
  for (const words of ['strict', 'careful', 'balanced', 'how it asks'])
    expect(matches(setting({ key: 'tools.approval.commands' }), words)).toBe(true);
  for (const [words, what] of [
    ['theme', 'theme'],
    ['dark', 'theme'],
    ['notifications', 'notifications'],
    ['sound', 'notifications'],
    ['Balanced', 'asking'],
  ] as const)
    expect(matchesWords(OTHER_SECTIONS[what], words)).toBe(true);
  expect(matchesWords(OTHER_SECTIONS.theme, 'proxy')).toBe(false);
  expect(matches(setting({ key: 'tools.run_command.network' }), 'proxy')).toBe(true);
  expect(matches(setting({ key: 'tools.allow_parallel' }), ''), 'nothing follows it').toBe(false);
});

interface Schema {
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
const leaves = (schema: Schema, prefix = ''): readonly (readonly [string, Schema])[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, part]) =>
    part.properties === undefined ? [[`${prefix}${name}`, part] as const] : leaves(part, `${prefix}${name}.`),
  );

it('every choice has its words, every section something in it, and no label stands twice in one', () => {
  const words = SETTING_LABELS as Readonly<Record<string, (typeof SETTING_LABELS)[keyof typeof SETTING_LABELS]>>;
  const shown = leaves(ConfigSchema as Schema).flatMap(([key, schema]) => {
    const said = words[key] ?? null;
    return said === null ? [] : [{ said, schema }];
  });
  for (const { said, schema } of shown)
    expect(Object.keys(said.choices ?? {}).sort(), said.label).toEqual([...(schema.enum ?? [])].sort());
  expect(new Set(shown.map(({ said }) => said.section))).toEqual(new Set(Object.keys(SECTIONS)));
  const labels = shown.map(({ said }) => `${said.section} ${said.label}`);
  expect(new Set(labels).size).toBe(labels.length);
});
