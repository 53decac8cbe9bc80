import { expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { findChangedNames, buildJsonRows } from './json-rows.js';

const shown = (value: JsonObject, toggled: readonly string[] = []): readonly string[] =>
  buildJsonRows(value, new Set(toggled)).map(({ pointer }) => pointer);

it('opens two levels at first and the rest when asked', () => {
  const value = { a: 1, b: { c: { d: { e: null } } }, 'x/y~z': [true] };
  expect(shown(value)).toEqual(['/a', '/b', '/b/c', '/b/c/d', '/x~1y~0z', '/x~1y~0z/0']);
  expect(shown(value, ['/b/c/d'])).toContain('/b/c/d/e');
  expect(shown(value, ['/b'])).toEqual(['/a', '/b', '/x~1y~0z', '/x~1y~0z/0']);
});

it('keeps a large branch closed until asked', () => {
  const value = { many: Array.from({ length: 100_000 }, (_, i) => i) };
  expect(shown(value)).toEqual(['/many']);
  expect(shown(value, ['/many'])).toHaveLength(100_001);
});

it('says what an edit changed', () => {
  expect(findChangedNames({ a: 1, b: { c: 1 }, d: 0 }, { a: 1, b: { c: 2 }, e: 0 })).toEqual(['b', 'd', 'e']);
});
