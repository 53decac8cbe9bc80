import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ALL_ROWS, layOutArguments, mayBeFolded } from './sheet-folding.js';
import type { FileEffect } from './effects.js';
import type { Json, JsonObject } from './json.js';

const NONE: ReadonlySet<string> = new Set();
/** Renders the sheet as text. */
const drawn = (value: JsonObject, opened = NONE): string =>
  layOutArguments(value, opened)
    .rows.map(({ label, value: item, shown }) => `${label} ${typeof item === 'string' ? item.slice(0, shown) : ''}`)
    .join('\n');
const hidden = (value: JsonObject, opened = NONE): number => layOutArguments(value, opened).hidden;
const call = (args: JsonObject) => ({ effect: { kind: 'arguments' }, arguments: args, runnerChange: null }) as const;

it.each<[string, JsonObject]>([
  ['at the end of a text', { text: `${'x'.repeat(2000)} eve@example` }],
  ['three levels deep', { a: { b: { c: { d: { to: 'eve@example' } } } } }],
  ['41st of a list', { to: [...Array.from({ length: 40 }, (_, at) => `${at}@example`), 'eve@example'] }],
  ['beneath a long text', { text: 'x'.repeat(50_000), to: 'eve@example' }],
  ['in a name', { [`${'x'.repeat(3000)} eve@example`]: 1 }],
])('a recipient is drawn: %s', (_where, value) => {
  expect(drawn(value)).toContain('eve@example');
});

it('folds what is past 5,000 characters, says how many, and no longer once it was opened', () => {
  expect(hidden({ text: 'x'.repeat(5000) })).toBe(0);
  expect(hidden({ text: 'x'.repeat(5875) })).toBe(875);
  expect(hidden({ to: 'eve@example', text: 'x'.repeat(5875) })).toBe(875);
  expect(hidden({ text: 'x'.repeat(5875), more: 'y'.repeat(1000) })).toBe(1875);
  expect(hidden({ text: 'x'.repeat(5875), more: 'y'.repeat(1000) }, new Set(['/text']))).toBe(0);
  expect(hidden({ text: 'x'.repeat(5875), more: 'y'.repeat(1000) }, new Set(['/more']))).toBe(875);
  expect(hidden({ text: `${'x'.repeat(4999)}💥` })).toBe(2);
});

it('folds what is past 200 rows, with its names', () => {
  const list = (length: number) => ({ of: Array.from({ length }, () => 7) });
  expect(layOutArguments(list(199), NONE)).toMatchObject({ hidden: 0, rowsLeft: 0 });
  expect(layOutArguments(list(202), NONE)).toMatchObject({ hidden: 12, rowsLeft: 3 });
  expect(layOutArguments(list(202), new Set([ALL_ROWS]))).toMatchObject({ hidden: 0, rowsLeft: 0 });
});

it('nothing is folded that fits, and what is not counted is drawn', () => {
  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(fc.dictionary(fc.string(), json), (value: JsonObject) => {
      const { rows, hidden: left } = layOutArguments(value, NONE);
      const all = layOutArguments(value, new Set([ALL_ROWS, ...rows.map(({ pointer }) => pointer)]));
      expect(all.hidden).toBe(0);
      if (all.rows.length <= 200 && JSON.stringify(value).length <= 5000) expect(left).toBe(0);
      if (left === 0) expect(rows).toEqual(all.rows);
      expect(mayBeFolded(call(value))).toBe(left > 0);
    }),
  );
});

it('files are folded past twelve, lines past 5,000 characters; what fits is not', () => {
  const file = (after: string): FileEffect => ({ path: 'a', change: 'created', before: null, after, note: null });
  const of = (...files: readonly FileEffect[]) =>
    mayBeFolded({ effect: { kind: 'files', files }, arguments: {}, runnerChange: null });
  expect(of(...Array.from({ length: 40 }, () => file('one\n')))).toBe(false);
  expect(of(...Array.from({ length: 13 }, () => file('one\n'.repeat(100))))).toBe(true);
  expect(of(file('one\n'.repeat(10_000)))).toBe(false);
  expect(of(file('x'.repeat(5000)))).toBe(false);
  expect(of(file('x'.repeat(5001)))).toBe(true);
  const change = { file: 'package.json', before: null, after: 'x'.repeat(6000) };
  const rule = { impossible: null, prefix: null, runs: null };
  const command = { kind: 'command', command: 'npm test', findings: [], rule } as const;
  expect(mayBeFolded({ effect: command, arguments: {}, runnerChange: change })).toBe(true);
  expect(mayBeFolded({ effect: command, arguments: {}, runnerChange: null })).toBe(false);
});
