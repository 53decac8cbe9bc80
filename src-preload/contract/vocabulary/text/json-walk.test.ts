import { expect, it } from 'vitest';
import { mapTexts, walkJson } from './json-walk.js';

it('each value is walked once, before what it holds, with how deep it is; depth can’t hurt', () => {
  const value = { a: [1, { b: 'x' }], c: null };
  const steps = [...walkJson(value)];
  expect(steps[0]).toEqual({ value, depth: 1 });
  expect(steps.map(({ depth }) => depth).toSorted((one, other) => one - other)).toEqual([1, 2, 2, 3, 3, 4]);
  expect(steps.find(({ depth }) => depth === 4)?.value).toBe('x');
  let deep: unknown = 'end';
  for (let at = 1; at < 200_000; at += 1) deep = [deep];
  let deepest = 0;
  for (const { depth } of walkJson(deep)) deepest = depth;
  expect(deepest).toBe(200_000);
});

it('texts are changed wherever they stand, and names where they are meant too', () => {
  const value = { ab: ['cd', 1, null, { ef: 'gh' }] };
  const upper = (text: string): string => text.toUpperCase();
  expect(mapTexts(value, upper)).toEqual({ ab: ['CD', 1, null, { ef: 'GH' }] });
  expect(mapTexts(value, upper, upper)).toEqual({ AB: ['CD', 1, null, { EF: 'GH' }] });
});
