import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type ConfigFile, openConfigFile, replaceConfigFile, digestConfigFile } from './config-file.js';

function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-clients-')));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function opened(path: string): ConfigFile {
  const found = openConfigFile(path);
  if (!found.ok) throw new Error(found.problem);
  return found.file;
}
const bytes = (text: string): Buffer => Buffer.from(text);

it('replaces a file wholly, keeps its rights, and leaves nothing beside it', () => {
  const path = join(folder(), 'settings.json');
  writeFileSync(path, 'old');
  chmodSync(path, 0o640);
  expect(replaceConfigFile(opened(path), bytes('new'))).toBeNull();
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(join(path, '..'))).toEqual(['settings.json']);
});

it('makes a file for its owner alone where there was none, with its folders, and takes it away again', () => {
  const path = join(folder(), 'deep', 'er', 'settings.json');
  const seen = opened(path);
  expect(seen.bytes).toBeNull();
  expect(replaceConfigFile(seen, bytes('new'))).toBeNull();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(replaceConfigFile(opened(path), null)).toBeNull();
  expect(existsSync(path)).toBe(false);
});

it('what changed since it was seen is not replaced: other bytes, a file in the place of none, a link elsewhere', () => {
  const home = folder();
  const path = join(home, 'a.json');
  writeFileSync(path, 'one');
  const seen = opened(path);
  writeFileSync(path, 'two');
  expect(replaceConfigFile(seen, bytes('new'))).toContain('has changed meanwhile');
  expect(replaceConfigFile(seen, null)).toContain('has changed meanwhile');
  expect(readFileSync(path, 'utf8')).toBe('two');

  const none = opened(join(home, 'b.json'));
  writeFileSync(join(home, 'b.json'), 'came');
  expect(replaceConfigFile(none, bytes('new'))).toContain('has changed meanwhile');
  expect(readFileSync(join(home, 'b.json'), 'utf8')).toBe('came');

  const elsewhere = join(home, 'elsewhere.json');
  writeFileSync(elsewhere, 'two');
  const again = opened(path);
  rmSync(path);
  symlinkSync(elsewhere, path);
  expect(replaceConfigFile(again, bytes('new'))).toContain('has changed meanwhile');
  expect(readFileSync(elsewhere, 'utf8')).toBe('two');
});

it('a link is followed and stays, and where it leads is part of what is shown', () => {
  const home = folder();
  mkdirSync(join(home, 'dotfiles'));
  const target = join(home, 'dotfiles', 'settings.json');
  writeFileSync(target, 'old');
  const link = join(home, 'settings.json');
  symlinkSync(target, link);
  const seen = opened(link);
  expect(seen.real).toBe(target);
  expect(digestConfigFile(seen)).not.toBe(digestConfigFile({ ...seen, real: link }));
  expect(replaceConfigFile(seen, bytes('new'))).toBeNull();
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('new');
});

it('says why it leaves something alone: a link to nowhere, a folder, no text, too large', () => {
  const home = folder();
  symlinkSync(join(home, 'nowhere'), join(home, 'dangling'));
  mkdirSync(join(home, 'folder'));
  writeFileSync(join(home, 'binary'), Buffer.from([0xff, 0xfe, 0x00]));
  writeFileSync(join(home, 'large'), Buffer.alloc(9 * 1024 * 1024, 0x20));
  const problem = (name: string): string => {
    const found = openConfigFile(join(home, name));
    return found.ok ? '' : found.problem;
  };
  expect(problem('dangling')).toContain('leads nowhere');
  expect(problem('folder')).toContain('is not a file');
  expect(problem('binary')).toContain('not text in UTF-8');
  expect(problem('large')).toContain('larger than 8 MB');
});
