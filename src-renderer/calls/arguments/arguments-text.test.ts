import { expect, it } from 'vitest';
import { parseArguments } from './arguments-text.js';

it('takes only objects as arguments', () => {
  expect(parseArguments('{"a":[1]}')).toEqual({ ok: true, value: { a: [1] } });
  expect(parseArguments('[1]')).toMatchObject({ ok: false });
  expect(parseArguments('{a:1}')).toMatchObject({ ok: false, message: expect.stringContaining('column 2') });
});

it('refuses what is nested so deeply that it could not be drawn', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  expect(parseArguments(nested(499))).toMatchObject({ ok: true });
  expect(parseArguments(nested(501))).toEqual({ ok: false, message: 'It is nested too deeply.' });
  expect(parseArguments(nested(200_000))).toMatchObject({ ok: false });
});
