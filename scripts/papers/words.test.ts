import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const projectDir = resolve(import.meta.dirname, '..', '..');

const PRONOUNS =
  'it they them its their he she we you who whom whose which what whoever whatever that this these those one ones all each any some ' +
  'none nothing nobody somebody anybody everybody another others such';
const PREPOSITIONS =
  'of in on at by for from to with without within into onto as after before between beside besides against behind below above ' +
  'under over through during until since about among beyond despite';
const NO_SUBJECT = new Set(`${PRONOUNS} ${PREPOSITIONS}`.split(' '));

const PRODUCT = ['src-main', 'src-preload', 'src-renderer'].flatMap((top) =>
  readdirSync(join(projectDir, top), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/u.test(file) && !/\.(?:test|integration)\b|test-support/u.test(file))
    .map((file) => ({ file: join(top, file), text: readFileSync(join(projectDir, top, file), 'utf8') })),
);

describe('the words of the code', () => {
  it('begin a comment with its subject', () => {
    const beginnings = PRODUCT.flatMap(({ text }) =>
      [...text.matchAll(/\/\*\*[\s*]*[“"'(`]*([A-Za-z]+)/gu)].map(([, word]) => (word ?? '').toLowerCase()),
    );
    expect(beginnings.length).toBeGreaterThan(7000);
    expect(beginnings.filter((word) => NO_SUBJECT.has(word)).length / beginnings.length).toBeLessThan(0.1);
  });

  it('give a type a name that no other file gives to another', () => {
    const files = new Map<string, Set<string>>();
    for (const { file, text } of PRODUCT)
      for (const [, name = ''] of text.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gmu))
        files.set(name, (files.get(name) ?? new Set()).add(file));
    const repeated = [...files].filter(([, where]) => where.size > 1).map(([name]) => name);
    expect(files.size).toBeGreaterThan(1500);
    expect(repeated.length, repeated.join(', ')).toBeLessThanOrEqual(20);
  });

  it('of our own are few', () => {
    const page = readFileSync(join(projectDir, 'docs', 'words.md'), 'utf8');
    const words = [...page.matchAll(/^\| \*\*([^*]+)\*\*/gmu)].map(([, word]) => word);
    expect(words.length).toBeGreaterThan(10);
    expect(words.length).toBeLessThanOrEqual(25);
  });
});
