import { expect, it } from 'vitest';
import { createValueFinder, maskValues } from './file-values.js';

it.each([
  [
    'A=one\nexport B="two words"\nC=true\nD=\nE=12\n# note\n',
    'A=[redacted]\nexport B="[redacted]"\nC=true\nD=\nE=12\n# note\n',
    2,
  ],
  ['URL=https://x/y?a=b#c\nX=$(pass)\r\n', 'URL=[redacted]\nX=[redacted]\r\n', 2],
  ['K="-----BEGIN\nabc\n-----END"\nL=1\n', 'K="[redacted]\n[redacted]\n[redacted]"\nL=1\n', 3],
  [
    '{\n  "user": "me",\n  "n": 3,\n  "deep": {"a": "b", "c": false}\n}\n',
    '{\n  "user": "[redacted]",\n  "n": 3,\n  "deep": {"a": "[redacted]", "c": false}\n}\n',
    2,
  ],
  ['user: me\nkey: |\n  one\n  two\nlast: 1\n', 'user: [redacted]\nkey: |\n  [redacted]\n  [redacted]\nlast: 1\n', 3],
  ['[default]\naws_secret_access_key = abc\n', '[default]\naws_secret_access_key = [redacted]\n', 1],
  ['//registry.example/:_authToken=abc\n', '//registry.example/:_authToken=[redacted]\n', 1],
  ['machine x login y password z\n', '[redacted]\n', 1],
  [
    '# OLD=secret\n#export OLDER="two words"\n; a = b\n# PORT=1\n# see x\n',
    '# OLD=[redacted]\n#export OLDER="[redacted]"\n; a = [redacted]\n# PORT=1\n# see x\n',
    3,
  ],
  ['', '', 0],
])('a file of secrets is shown without its values: %j', (text, value, count) => {
  expect(maskValues(text)).toEqual({ value, count });
  expect(maskValues(value).value).toBe(value);
});

it('Values of a file are found in another text: long ones in any form, short ones in their line', () => {
  const find = createValueFinder(['A=kx1\nCOLOUR="ultramarine and gold"\nDEBUG=true\n']);
  const found = (text: string): readonly string[] => find(text).map(({ start, end }) => text.slice(start, end));
  expect(found('A=kx1\nA=kx12\nkx1')).toEqual(['kx1']);
  expect(found('export A=kx1;')).toEqual(['kx1']);
  expect(found('we like ultramarine and gold')).toEqual(['ultramarine and gold']);
  expect(found('{"c":"ultramarine%20and%20gold"}')).toEqual(['ultramarine%20and%20gold']);
  expect(found('DEBUG=true')).toEqual([]);
});

it('Of a file with more values than anybody keeps, nothing is shown', () => {
  const find = createValueFinder([Array.from({ length: 3000 }, (_, at) => `NAME_${at}=value-${at}`).join('\n')]);
  expect(find('anything')).toEqual([{ start: 0, end: 8 }]);
});
