import { expect, it } from 'vitest';
import { readMessage } from './tool-line.js';

it('reads a result with its spaces and lines as they are', () => {
  expect(readMessage('/tool call-1 two words')).toEqual({ kind: 'result', callId: 'call-1', result: 'two words' });
  expect(readMessage('  /tool c  {"a":1}\n{"b":2}\n')).toEqual({
    kind: 'result',
    callId: 'c',
    result: ' {"a":1}\n{"b":2}\n',
  });
  expect(readMessage('/tool c\nfirst\nsecond')).toEqual({ kind: 'result', callId: 'c', result: 'first\nsecond' });
  expect(readMessage('/tool c')).toEqual({ kind: 'result', callId: 'c', result: '' });
});

it('says how it is written when something is missing, and leaves words alone', () => {
  expect(readMessage('/tool')).toMatchObject({ kind: 'wrong' });
  expect(readMessage('/tool   ')).toMatchObject({ kind: 'wrong' });
  expect(readMessage('/toolbox is a word')).toEqual({ kind: 'words' });
  expect(readMessage('use /tool later')).toEqual({ kind: 'words' });
});
