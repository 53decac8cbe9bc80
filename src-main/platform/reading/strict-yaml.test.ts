import { expect, it } from 'vitest';
import { readStrictYaml } from './strict-yaml.js';

const wrong = (text: string): string => {
  const read = readStrictYaml(text);
  return read.ok ? 'nothing' : `${read.line}: ${read.problem}`;
};

const aliases = (count: number): string =>
  `a: &a "x"\nall: [${Array.from({ length: count }, () => '*a').join(', ')}]\n`;

it('takes a hundred aliases, of one anchor too, and no more', () => {
  expect(readStrictYaml(aliases(100))).toMatchObject({ ok: true, value: { a: 'x', all: Array(100).fill('x') } });
  expect(wrong(aliases(101))).toMatch(/^2: has more than 100 aliases/u);
});

it('does not write out what is named by names by names, nor what is named within itself', () => {
  const levels = Array.from({ length: 10 }, (_each, at) => {
    const above = Array.from({ length: 9 }, () => `*l${at}`).join(', ');
    return `l${at + 1}: &l${at + 1} [${above}]`;
  });
  expect(wrong(`l0: &l0 [1, 1]\n${levels.join('\n')}\n`)).toMatch(/^\d+: holds more than 100000 values/u);
  expect(wrong('a: &a [*a]\n')).toMatch(/^1: holds more than/u);
});

it('says the line of an alias that names nothing, and of a number that JSON has not', () => {
  expect(wrong('a: 1\nb: *none\n')).toBe('2: has the alias “*none”, and no anchor of that name before it');
  expect(wrong('a: *late\nb: &late 1\n')).toMatch(/^1: has the alias/u);
  for (const number of ['.inf', '-.inf', '.nan', '1e400'])
    expect(wrong(`a: 1\nb: ${number}\n`)).toBe('2: holds a number that JSON has not');
});
