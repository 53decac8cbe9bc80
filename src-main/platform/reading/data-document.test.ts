import { expect, test } from 'vitest';
import { readDocument } from './data-document.js';

const read = (text: string) => {
  const got = readDocument(text);
  return got.ok ? got.value : `${got.line ?? '-'}: ${got.problem}`;
};

test('JSON and YAML give the same', () => {
  const wanted = { openapi: '3.0.3', paths: { '/a': { get: { responses: { '200': { ok: true } } } } } };
  expect(read(JSON.stringify(wanted))).toEqual(wanted);
  expect(read('openapi: 3.0.3\npaths:\n  /a:\n    get: { responses: { 200: { ok: true } } }\n')).toEqual(wanted);
  expect(read('{a: 1, b: [x, "y"]}')).toEqual({ a: 1, b: ['x', 'y'] });
  expect(read('a: &x [1]\nb: *x\n')).toEqual({ a: [1], b: [1] });
  expect(read('date: 2026-01-01\nno: no\n')).toEqual({ date: '2026-01-01', no: 'no' });
});

test('A fault is told with its line', () => {
  expect(read('a: 1\nb: [\n')).toMatch(/^\d+: It is no YAML/u);
  expect(read('{\n "a": 1,\n "b" 2\n}')).toMatch(/^3: It is no JSON/u);
  expect(read('a: 1\na: 2\n')).toMatch(/^2: .*unique/iu);
});

test('What is more than data is refused', () => {
  for (const text of [
    'a: !!js/function "function(){}"',
    'a: !!js/regexp /x/',
    'a: !!python/object/apply:os.system ["x"]',
    'a: !custom 1',
    'a: .inf',
    'a: .nan',
    '? [a, b]\n: 1',
    '{"__proto__": {"polluted": true}}',
    '__proto__:\n  polluted: true\n',
    '{"a": {"b": [{"__proto__": 1}]}}',
  ])
    expect(read(text), text).toMatch(/^(?:\d+|-): It /u);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('What stands for more than it is, is refused for the price of its text', () => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
    .concat(Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`))
    .join('\n');
  expect(read(bomb)).toMatch(/alias|more than/u);
  expect(read(`${'['.repeat(300)}${']'.repeat(300)}`)).toMatch(/deep/u);
  expect(read(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toMatch(/deep/u);
  expect(read(`a: 1\nb: ${'x'.repeat(3_000_000)}`)).toMatch(/2 MB/u);
  expect(read(`a: &x [1]\nb: [${Array(500).fill('*x').join(', ')}]`)).toMatchObject({ a: [1] });
  expect(read(`a:\n${'- '.repeat(5000)}x`)).toMatch(/^(?:\d+|-): It /u);
});
