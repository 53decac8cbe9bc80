import { expect, it } from 'vitest';
import { parseArguments } from './arguments-text.js';

it('takes only objects as arguments', () => {
  expect(parseArguments('{"a":[1]}')).toEqual({ ok: true, value: { a: [1] } });
  expect(parseArguments('[1]')).toMatchObject({ ok: false });
  expect(parseArguments('{a:1}')).toMatchObject({ ok: false, message: expect.stringContaining('column 2') });
});
