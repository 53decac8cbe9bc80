import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const projectDir = resolve(import.meta.dirname, '..', '..');
const MOST_LINES = 400;
const MOST_FILES = 16;

const CODE = ['src-main', 'src-preload', 'src-renderer', 'e2e', 'scripts'].flatMap((top) =>
  readdirSync(join(projectDir, top), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:[cm]?[jt]sx?|css)$/u.test(file))
    .map((file) => join(top, file)),
);
const isTest = (file: string): boolean => /\.(?:test|spec|bench|test-support)\.[cm]?[jt]sx?$/u.test(file);

/** The files that are longer still, and the folders that hold more still. Whoever mends one takes it out. */
const LONGER_STILL: readonly string[] = [];
const FULLER_STILL: readonly string[] = [];

it('no file is longer than one reads at once', () => {
  const linesOf = (file: string): number => readFileSync(join(projectDir, file), 'utf8').split('\n').length - 1;
  const longer = CODE.filter((file) => linesOf(file) > MOST_LINES);
  expect(CODE.length).toBeGreaterThan(2000);
  expect(longer.sort()).toEqual([...LONGER_STILL]);
});

it('no folder holds more files than one looks over', () => {
  const held = new Map<string, number>();
  for (const file of CODE.filter((each) => !isTest(each))) held.set(dirname(file), (held.get(dirname(file)) ?? 0) + 1);
  expect(held.size).toBeGreaterThan(200);
  expect([...held].flatMap(([folder, files]) => (files > MOST_FILES ? [folder] : [])).sort()).toEqual([
    ...FULLER_STILL,
  ]);
});
