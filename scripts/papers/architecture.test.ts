import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const projectDir = resolve(import.meta.dirname, '..', '..');
const textOf = (path: string) => readFileSync(join(projectDir, path), 'utf8');
const foldersIn = (path: string) =>
  readdirSync(join(projectDir, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(path, name));

describe('docs/architecture.md', () => {
  const page = textOf('docs/architecture.md');
  const tree = /## Where things are\n(.*?)\n## /su.exec(page)?.[1] ?? '';

  it('names every room of the house', () => {
    const wings = foldersIn('src-main');
    const rooms = [...wings, ...wings.flatMap(foldersIn), ...foldersIn('src-renderer')];
    expect(rooms.length).toBeGreaterThan(80);
    const named = new Set([...tree.matchAll(/([a-z][a-z0-9-]*)\//gu)].map(([, name]) => name));
    expect(rooms.filter((room) => !named.has(room.split('/').at(-1)))).toEqual([]);
  });

  it('names no room that is gone', () => {
    const all = readdirSync(projectDir, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^(?:src-|e2e|scripts|resources)/u.test(entry.name))
      .flatMap(({ name }) => [
        name,
        ...readdirSync(join(projectDir, name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map((entry) => entry.name),
      ]);
    const there = new Set([...all, 'docs']);
    const named = [...tree.matchAll(/(?<![\w./:-])([a-z][a-z0-9-]*)\//gu)].map(([, name]) => name ?? '');
    expect(named.filter((name) => !there.has(name))).toEqual([]);
  });

  it('leads to files that are there', () => {
    const paths = [...page.matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/gu)].map(([, path]) => path ?? '');
    const floors = ['', 'src-main', 'src-main/conversation', 'src-preload/contract'];
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => !floors.some((floor) => existsSync(join(projectDir, floor, path))))).toEqual([]);
  });
});

it('docs/data-folder.md names what lies there', () => {
  const page = textOf('docs/data-folder.md');
  const namesIn = (file: string, name: RegExp) => [...textOf(file).matchAll(name)].map(([, found]) => found ?? '');
  const journal = readdirSync(join(projectDir, 'src-main', 'journal'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test(?:-support)?\.ts$/u.test(file))
    .flatMap((file) =>
      namesIn(join('src-main', 'journal', file), /join\(dataDir, '([^']+)'\)/gu).concat(
        namesIn(join('src-main', 'journal', file), /_FILE = '([^']+)'/gu),
      ),
    )
    .filter((name) => name !== '');
  const names = [...namesIn('src-main/platform/data-folder/paths.ts', /join\(root, '([^']+)'\)/gu), ...journal];
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
});
