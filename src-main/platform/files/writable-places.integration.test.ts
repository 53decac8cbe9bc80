import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { mayToolsWrite } from './writable-places.js';

function places() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gh-writable-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const at = (...parts: string[]): string => join(base, ...parts);
  for (const folder of ['open/below', 'other/package/inner', 'opened']) mkdirSync(at(folder), { recursive: true });
  return at;
}

it('what lies in a folder, holds one, or is reached by a link of one', () => {
  const at = places();
  symlinkSync(at('other'), at('open', 'link'));
  symlinkSync(at('open', 'link', 'package'), at('by-way-of'));
  symlinkSync('../open', at('other', 'back'));
  symlinkSync('round', at('other', 'round'));
  const folders = [at('open'), at('other', 'package', 'inner')];
  for (const path of [
    at('open'),
    at('open', 'below'),
    at('open', 'not-there', 'yet'),
    at('open', 'link', 'package'),
    at('by-way-of'),
    at('other', 'back', 'below'),
    `${at('other')}/x/../back/below`,
    at('other', 'package'),
    at('other', 'round'),
    '/',
  ])
    expect(mayToolsWrite(path, folders), path).toBe(true);
  for (const path of [at('opened'), at('other', 'nothing'), '/usr/bin'])
    expect(mayToolsWrite(path, folders), path).toBe(false);
  expect(mayToolsWrite(at('open'), [])).toBe(false);
  expect(mayToolsWrite('/anything', ['/'])).toBe(true);
});
