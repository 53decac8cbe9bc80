import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPattern } from './linear-pattern.js';

const TEXTS = [
  '',
  'a',
  'aaaa!',
  'x-1_b',
  '2026-11-20',
  'ÿ\u00a0\u2028',
  'a\nb',
  'a\r',
  '😀',
  '[a]',
  '-',
  '\\',
  '/',
  ':',
  'A\u0001',
];

it.each([
  '^[a-z]+$',
  '^(a|b)*$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '\\s',
  '^\\S+$',
  '^[^\\s]$',
  '^.$',
  'a.',
  '^\\u0061$',
  '[\\u{1F600}-\\u{1F64F}]',
  '^[[a\\]:]+$',
  '[[:alph]+',
  '^[\\w\\-/.]+$',
  '\\/|\\\\',
  '\\cA',
  '^[^\\0]*$',
  '\\bb\\b',
  '^(?<name>a)(?:a){2,}',
  '^\\p{L}+$',
  '[\\D]',
])('the pattern %s means what it means to JavaScript', (pattern) => {
  const linear = createPattern(pattern);
  expect(linear.isLinear).toBe(true);
  for (const text of TEXTS) expect(linear.test(text), JSON.stringify(text)).toBe(new RegExp(pattern, 'u').test(text));
});

it.each([
  '(?=a)a',
  '(?<!a)b',
  '(a)\\1',
  '(?<x>a)\\k<x>',
  'a{2000}',
  '[]',
  '[^]',
  '[^\\S]',
  '\\p{Script=Greek}',
  '\\ud83d\\ude00',
])('the pattern %s is none that can be matched in linear time, and means the same', (pattern) => {
  const other = createPattern(pattern);
  expect(other.isLinear).toBe(false);
  for (const text of TEXTS) expect(other.test(text)).toBe(new RegExp(pattern, 'u').test(text));
});

it('patterns are told apart by their words, and none that JavaScript does not know is one', () => {
  expect(createPattern('a').toString()).not.toBe(createPattern('b').toString());
  for (const pattern of ['(', '(?i)a', '\\A', 'a**', '\\Qa\\E', '[b-a]', '\\_'])
    expect(() => createPattern(pattern), pattern).toThrow(SyntaxError);
});

it('one that backtracks for years is done', () => {
  const text = `${'a'.repeat(200)}!`;
  for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(.*a){20}$', '^(\\w+\\s?)*$'])
    expect(createPattern(pattern).test(text), pattern).toBe(false);
});

it('whatever is put together means the same', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '\\s',
    '\\w',
    '\\d',
    '\\S',
    '[a-c]',
    '[^b]',
    '[\\s\\d]',
    '[^\\S]',
    '\\u{61}',
    '\\n',
  );
  const piece = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{1,2}', '*?')).map((parts) => parts.join(''));
  const pattern = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
  const whole = fc
    .tuple(pattern, pattern, fc.boolean())
    .map(([one, other, all]) => (all ? `^(?:${one}|${other})$` : one));
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '\n', '\r', '\u00a0', '\u2028', '\ufeff', '😀'),
    maxLength: 6,
  });
  fc.assert(
    fc.property(whole, text, (source, value) => {
      expect(createPattern(source).test(value)).toBe(new RegExp(source, 'u').test(value));
    }),
  );
});
