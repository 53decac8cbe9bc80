import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = resolve(import.meta.dirname, '..', '..', 'docs', 'adr');
const index = readFileSync(join(folder, 'README.md'), 'utf8');
const files = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/u.test(name));

interface Decision {
  readonly number: string;
  readonly title: string;
  readonly file: string;
  /** The decisions that its own status says have changed a part of it. */
  readonly changedBy: readonly string[];
  readonly inForce: boolean;
}

function decisionIn(file: string): Decision {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  const title = /^# (\d{4}) (.+)$/u.exec(lines[0] ?? '');
  const status = lines[2] ?? '';
  expect(title?.[1], `${file}: its first line is “# <number> <title>”`).toBe(file.slice(0, 4));
  expect(status, `${file}: its third line is its status`).toMatch(
    /^Status: (?:in force\.(?: Superseded in part by .+\.)?|superseded\. .+)$/u,
  );
  const changedBy = [...status.matchAll(/\[(\d{4})\]\(([^)]+)\)/gu)].map(([, number, target]) => {
    expect(files, `${file}: its status links to what is there`).toContain(target);
    return number ?? '';
  });
  return {
    number: file.slice(0, 4),
    title: title?.[2] ?? '',
    file,
    changedBy,
    inForce: status.startsWith('Status: in force'),
  };
}

function rowOf({ title, file, changedBy, inForce }: Decision): string {
  if (!inForce) return `[${title}](${file}) superseded`;
  const status = ['in force', ...(changedBy.length > 0 ? [`superseded in part by ${changedBy.join(', ')}`] : [])];
  return `[${title}](${file}) ${status.join('; ')}`;
}

function rowsOfIndex(): readonly string[] {
  const rows = index.split('\n').filter((line) => /^\| \d{4} /u.test(line));
  return rows.map((line) => {
    const [, , decision = '', status = ''] = line.split('|').map((cell) => cell.trim());
    return `${decision} ${status}`;
  });
}

describe('docs/adr', () => {
  it('has each decision in its index once, with its title and status', () => {
    expect(files.length).toBeGreaterThan(60);
    expect([...rowsOfIndex()].sort()).toEqual(files.map((file) => rowOf(decisionIn(file))).sort());
  });

  it('says of each number that is missing that it is', () => {
    const numbers = files.map((file) => Number(file.slice(0, 4)));
    const all = Array.from({ length: Math.max(...numbers) }, (_, at) => at + 1);
    const said = /No decision was ever recorded under ([^:]+):/u.exec(index)?.[1] ?? '';
    expect(all.filter((number) => !numbers.includes(number))).toEqual([...said.matchAll(/\d+/gu)].map(Number));
  });

  it('leads to files that are there', () => {
    const gone = ['README.md', ...files].flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\]\((\d{4}-[^)#]+)\)/gu)]
        .filter(([, target]) => !files.includes(target ?? ''))
        .map(([, target]) => `${file} → ${target}`),
    );
    expect(gone).toEqual([]);
  });
});
