import fc from 'fast-check';
import { expect, it } from 'vitest';
import { highlightLine } from './highlight.js';

const kinds = (line: string, path: string): readonly string[] =>
  highlightLine(line, path).flatMap(({ kind, text }) => (kind === null ? [] : [`${kind} ${text}`]));

it('colours what helps to read a change', () => {
  expect(kinds('const n = 12; // "why"', 'src/a.ts')).toEqual(['keyword const', 'number 12', 'comment // "why"']);
  expect(kinds('go("https://x") // see', 'a.js')).toEqual(['keyword go', 'string "https://x"', 'comment // see']);
  expect(kinds('  "name": "x", "ok": true', 'package.json')).toEqual([
    'name "name"',
    'string "x"',
    'name "ok"',
    'keyword true',
  ]);
  expect(kinds('if x: # because', 'a.py')).toEqual(['keyword if', 'comment # because']);
  expect(kinds('SELECT a FROM b -- all', 'q.sql')).toEqual(['keyword SELECT', 'keyword FROM', 'comment -- all']);
});

it('leaves what it does not know alone', () => {
  expect(highlightLine('if this then that', 'notes.txt')).toEqual([{ text: 'if this then that', kind: null }]);
  expect(highlightLine('', 'a.ts')).toEqual([]);
});

it('never changes the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a.ts', 'a.py', 'a.sql', 'a.html', 'a.json'),
      (line, path) => {
        expect(
          highlightLine(line, path)
            .map(({ text }) => text)
            .join(''),
        ).toBe(line);
      },
    ),
  );
});
