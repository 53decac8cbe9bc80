import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Type from 'typebox';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { keptJson, keyedEntries } from './kept-json.js';

const Ages = Type.Record(Type.String(), Type.Integer());
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gh-kept-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

it('what is written is read again, by nobody else, and nothing lies beside it', () => {
  const path = join(folder, 'ages.json');
  expect([keptJson(path, Ages).read(), keptJson(path, Ages).broken]).toEqual([null, false]);
  keptJson(path, Ages).write({ a: 1 });
  keptJson(path, Ages).write({ b: 2 });
  expect([keptJson(path, Ages).read(), keptJson(path, Ages).broken]).toEqual([{ b: 2 }, false]);
  expect([statSync(path).mode & 0o777, readdirSync(folder)]).toEqual([0o600, ['ages.json']]);
  keptJson(path, Ages).remove();
  expect([keptJson(path, Ages).read(), readdirSync(folder)]).toEqual([null, []]);
});

it.each(['', '[1', 'null', '[]', '{"a":"1"}', '{"a":1.5}', '{"__proto__":1}', ' '.repeat(101) + '{}'])(
  'a file that says “%s” says nothing, stays, and is put aside by what is written after it',
  (text) => {
    const path = join(folder, 'ages.json');
    writeFileSync(path, text);
    const ages = keptJson(path, Ages, { maxBytes: 100 });
    expect([ages.read(), ages.broken, readFileSync(path, 'utf8')]).toEqual([null, true, text]);
    ages.write({ a: 1 });
    expect([ages.read(), ages.broken, readFileSync(`${path}.broken`, 'utf8')]).toEqual([{ a: 1 }, false, text]);
  },
);

it('who can’t write is told, or throws', () => {
  const path = join(folder, 'in-the-way');
  mkdirSync(path);
  const problems: unknown[] = [];
  keptJson(join(path, 'no', 'ages.json'), Ages, { onProblem: (error) => problems.push(error) }).write({ a: 1 });
  expect(problems).toHaveLength(1);
  expect(() => keptJson(join(path, 'no', 'ages.json'), Ages).write({ a: 1 })).toThrow('ENOENT');
});

it('entries keep their order and their keys', () => {
  const entries = keptJson(join(folder, 'entries.json'), keyedEntries(Type.Integer()));
  entries.write([
    ['b', 1],
    ['a', 2],
  ]);
  expect(new Map(entries.read())).toEqual(
    new Map([
      ['b', 1],
      ['a', 2],
    ]),
  );
  for (const text of ['[["a"]]', '[["a",1,2]]', '[["a","1"]]', '[[1,1]]']) {
    writeFileSync(join(folder, 'entries.json'), text);
    expect(entries.broken, text).toBe(true);
  }
});
