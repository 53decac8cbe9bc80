import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const projectDir = resolve(import.meta.dirname, '..', '..');
const page = readFileSync(join(projectDir, 'docs', 'requirements.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`src-'));
const explained = new Set(rows.map((line) => line.split('|')[1]?.trim()));

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

describe('docs/requirements.md', () => {
  it('explains every number that the code names', () => {
    expect([...named()].filter(([number]) => !explained.has(number))).toEqual([]);
  });

  it('names nothing that is gone', () => {
    const paths = [...page.matchAll(/`((?:src-|scripts\/)[^`]+)`/gu)].map(([, path]) => path ?? '');
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !existsSync(join(projectDir, path)))).toEqual([]);
  });
});
