import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seedNumbers } from './seed-numbers.js';

const projectDir = resolve(import.meta.dirname, '..', '..');
const page = readFileSync(join(projectDir, 'docs', 'requirements.md'), 'utf8');

interface Row {
  readonly numbers: readonly string[];
  readonly doneIn: string;
  readonly provedBy: string;
}

const rows: readonly Row[] = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:Number|---)/u.test(line))
  .map((line) => {
    const [, numbers = '', , doneIn = '', provedBy = ''] = line.split('|').map((cell) => cell.trim());
    return { numbers: numbers.split(', '), doneIn, provedBy };
  });
/** A heading, a purpose, an example: it has no row. */
const nothingToDo = [...page.matchAll(/^Nothing to do: ([^(]+) \(/gmu)].flatMap(([, numbers = '']) =>
  numbers.replaceAll(/\s+/gu, ' ').split(', '),
);
const answered: readonly string[] = [...rows.flatMap(({ numbers }) => numbers), ...nothingToDo];

/** Whatever names a requirement: a comment, or a test's title. */
const NUMBER = /\b(?:FR|IT)-(?:[A-Z]+-)*[A-Z]+(?:-\d+[a-z]?)?\b|\b[Ss]eed 00\d §[\d.]*\d/gu;

function named(): ReadonlyMap<string, string> {
  const files = ['src-main', 'src-preload', 'src-renderer', 'e2e', 'resources'].flatMap((folder) =>
    readdirSync(join(projectDir, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const found = new Map<string, string>();
  for (const file of files) {
    if (!/\.(?:tsx?|toml)$/u.test(file)) continue;
    for (const [number] of readFileSync(join(projectDir, file), 'utf8').matchAll(NUMBER)) {
      found.set(number.replace(/^S/u, 's'), file);
    }
  }
  return found;
}

const hasPlace = ({ doneIn }: Row) =>
  /^`[^`]+`|^Otherwise, \[ADR \d{4}\]\(adr\/[^)]+\): |^\[[a-z-]+\]\(/u.test(doneIn) ||
  doneIn.startsWith('Not built yet');
const isDone = ({ doneIn }: Row) => !doneIn.startsWith('Not built yet');

/** A decision says which seed it means, and the number without it. */
function isNamedIn(text: string, number: string): boolean {
  const own = number.replace(/^seed \d+ /u, '').replaceAll('.', '\\.');
  return new RegExp(`${own}(?![\\w.]*\\d)`, 'u').test(text);
}

describe('docs/requirements.md', () => {
  it('answers each number of the five texts once, and no other', () => {
    expect(seedNumbers.length).toBeGreaterThan(400);
    expect([...answered].sort()).toEqual([...seedNumbers].sort());
  });

  it('says of each where it is done, or what was decided instead, and which test proves it', () => {
    expect(rows.filter((row) => !hasPlace(row))).toEqual([]);
    const unproved = rows.filter((row) => isDone(row) && !/^`[^`]+\.(?:test|spec|bench)\.tsx?`$/u.test(row.provedBy));
    expect(unproved).toEqual([]);
  });

  it('leads to decisions that name the number', () => {
    const unnamed = rows.flatMap(({ numbers, doneIn }) =>
      [...doneIn.matchAll(/Otherwise, \[ADR \d{4}\]\(([^)]+)\)/gu)]
        .map(([, file = '']) => ({ file, text: readFileSync(join(projectDir, 'docs', file), 'utf8') }))
        .filter(({ text }) => !numbers.some((number) => isNamedIn(text, number)))
        .map(({ file }) => `${numbers.join(', ')} → ${file}`),
    );
    expect(unnamed).toEqual([]);
  });

  it('explains every number that the code names', () => {
    expect([...named()].filter(([number]) => !answered.includes(number))).toEqual([]);
  });

  it('names nothing that is gone', () => {
    const paths = [
      ...page.matchAll(/`((?:src-|scripts\/|e2e\/|resources\/)[^`]+)`|\]\(((?:adr\/)?[\w-]+\.md)\)/gu),
    ].map(([, path, link]) => path ?? `docs/${link ?? ''}`);
    expect(paths.length).toBeGreaterThan(200);
    expect(paths.filter((path) => !existsSync(join(projectDir, path)))).toEqual([]);
  });
});
