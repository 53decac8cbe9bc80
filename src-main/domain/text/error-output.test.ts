import { expect, it } from 'vitest';
import { ErrorOutput } from './error-output.js';

const last = (text: string): string => {
  const complaints = new ErrorOutput();
  complaints.heard(Buffer.from(text));
  return complaints.last;
};

it('what it said last is the line that names the error, and not what stands under it', () => {
  const node = `/srv/x.js:3
    throw new TypeError('No licence');
    ^

TypeError [ERR_X]: No licence
    at Object.<anonymous> (/srv/x.js:3:11) {
  code: 'ERR_X'
}

Node.js v24.1.0
`;
  expect(last(node)).toBe('TypeError [ERR_X]: No licence');
  expect(last('Traceback (most recent call last):\n  File "x.py", line 1\n    raise E\nmod.MyError: nope\n')).toBe(
    'mod.MyError: nope',
  );
  expect(last('starting\nfatal: no such repository\nbye\n')).toBe('fatal: no such repository');
  expect(last('one\ntwo\nthree\nfour\n')).toBe('two\nthree\nfour');
});
