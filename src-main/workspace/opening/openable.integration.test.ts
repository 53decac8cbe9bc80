import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { PathJail } from '../sandbox/path-jail.js';
import { settings } from '../sandbox/path-jail.test-support.js';
import { resolveOpenable, resolveShowable } from './openable.js';

let folder: string;
let jail: PathJail;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-opening-')));
  jail = await PathJail.create(folder, settings({ denied_patterns: ['private/**'] }));
});

const write = (name: string, content = 'text\n') => writeFileSync(join(folder, name), content);
const open = (path: string, platform: NodeJS.Platform = 'linux') => resolveOpenable(jail, path, platform);
const refused = (words: string) => ({ problem: expect.stringContaining(words) as string });

test('Text and pictures are opened where they lie; a link inside leads to the file itself', async () => {
  mkdirSync(join(folder, 'docs'));
  for (const name of ['docs/a.md', 'b.TS', 'Makefile', 'with "quotes" and spaces.txt', 'c.png']) write(name);
  for (const name of ['docs/a.md', 'b.TS', 'Makefile', 'with "quotes" and spaces.txt', 'c.png'])
    expect(await open(name), name).toMatchObject({ absolute: join(folder, name) });
  symlinkSync('docs/a.md', join(folder, 'link.md'));
  expect(await open('link.md')).toMatchObject({ absolute: join(folder, 'docs/a.md') });
});

test('What could run is never opened: a program, a launcher, a page, an archive, and whatever has no known ending', async () => {
  for (const name of [
    'app.desktop',
    'APP.DESKTOP',
    'page.html',
    'picture.svg',
    'a.xml',
    'tool.jar',
    'setup.exe',
    'image.AppImage',
    'a.txt.desktop',
    'unknown',
    '.desktop',
    'a.',
    'macro.docm',
  ]) {
    write(name, '[Desktop Entry]\nType=Application\nExec=true\n');
    expect(await open(name), name).toEqual(refused('Use “Show in folder”'));
    expect(await resolveShowable(jail, name), name).toMatchObject({ absolute: join(folder, name) });
  }
  write('notes.txt');
  chmodSync(join(folder, 'notes.txt'), 0o755);
  expect(await open('notes.txt')).toEqual(refused('is a program'));
  symlinkSync('app.desktop', join(folder, 'readme.md'));
  expect(await open('readme.md')).toEqual(refused('opens only text and pictures'));
});

test('A script is text where its system shows it, and is not opened where that runs it', async () => {
  for (const name of ['a.js', 'b.py', 'c.sh', 'd.bat']) {
    write(name);
    expect(await open(name, 'linux'), name).toMatchObject({ absolute: join(folder, name) });
    expect(await open(name, 'win32'), name).toEqual(refused('opens only text and pictures'));
    expect(await open(name, 'darwin'), name).toEqual(refused('opens only text and pictures'));
  }
});

test('Nothing outside, denied, gone or special is opened or shown', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'gatehouse-outside-'));
  writeFileSync(join(outside, 'a.txt'), 'theirs\n');
  symlinkSync(join(outside, 'a.txt'), join(folder, 'out.txt'));
  mkdirSync(join(folder, 'private'));
  write('private/a.txt');
  execFileSync('mkfifo', [join(folder, 'pipe.txt')]);
  for (const look of [open, (path: string) => resolveShowable(jail, path)]) {
    expect(await look('out.txt')).toEqual(refused('leads out of the workspace'));
    expect(await look('../a.txt')).toEqual(refused('is refused'));
    expect(await look(join(outside, 'a.txt'))).toEqual(refused('is refused'));
    expect(await look('private/a.txt')).toEqual(refused('denied pattern'));
    expect(await look('gone.txt')).toEqual({ problem: 'gone.txt isn’t there now.' });
    expect(await look('pipe.txt')).toEqual(refused('device, pipe or socket'));
    expect(await look('a\0.txt')).toEqual(refused('path'));
  }
  mkdirSync(join(folder, 'looks.txt'));
  expect(await open('looks.txt')).toEqual(refused('is not a file'));
  expect(await resolveShowable(jail, 'looks.txt')).toMatchObject({ absolute: join(folder, 'looks.txt') });
  expect(await resolveShowable(jail, '.')).toMatchObject({ absolute: folder });
  linkSync(join(folder, 'private/a.txt'), join(folder, 'hard.txt'));
  chmodSync(join(folder, 'private/a.txt'), 0o755);
  expect(await open('hard.txt')).toEqual(refused('is a program'));
});
