import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findNamedPlaces, ownWorkingFolder } from './own-files.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-own-')));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const put = (name: string, text = ''): string => {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
  return path;
};
const data = join(home, '.config/gatehouse');
const places = { homes: [home], hidden: [data, join(home, 'open-folder')] };
const short = (path: string | null): string | null => path?.replace(`${home}/`, '~/') ?? null;
const own = (command: string, args: readonly string[], cwd: string | null = null) =>
  findNamedPlaces(command, args, cwd, places).map(({ place }) => short(place));

describe('what of a command’s words is its own program', () => {
  it('is the package that a program lies in, by its mark, and what it loads beside it', () => {
    put('server/package.json', '{}');
    expect(own('node', [put('server/dist/index.js'), '--flag'])).toEqual(['~/server']);
    expect(own('node', [put('tools/node_modules/pkg/bin/run.mjs')])).toEqual(['~/tools/node_modules']);
    put('venv/pyvenv.cfg');
    expect(own(put('venv/bin/python'), ['-m', 'server'])).toEqual(['~/venv']);
    symlinkSync(join(home, 'server'), join(home, 'linked'));
    expect(own('node', [join(home, 'linked/dist/index.js')])).toEqual(['~/server']);
    expect(own('node', [`--import=${join(home, 'server/dist/index.js')}`])).toEqual(['~/server']);
    expect(own('node', ['dist/index.js'], join(home, 'server'))).toEqual(['~/server']);
  });

  it('is no more than the file itself where its folder is more than its own', () => {
    expect(own('node', [put('loose.js')])).toEqual(['~/loose.js']);
    put('open-folder/package.json', '{}');
    expect(own('node', [put('open-folder/tools/run.js')])).toEqual(['~/open-folder/tools']);
    expect(own('node', [put('open-folder/run.js')])).toEqual(['~/open-folder/run.js']);
    expect(own(put('.cargo/bin/server'), [])).toEqual(['~/.cargo/bin/server']);
  });

  it('is of other files the file, and of folders nothing: they are what it is to work on', () => {
    put('docs/a.txt');
    expect(own('server', [put('settings/server.json'), join(home, 'docs'), 'relative/path', '/nowhere/x.js'])).toEqual([
      '~/settings/server.json',
      null,
    ]);
    expect(own('/usr/bin/env', [])).toEqual(['/usr/bin/env']);
  });

  it('is nothing of a word that no path can be', () => {
    expect(own('node', ['-e', `console.log(${'x'.repeat(5000)})`], home)).toEqual([]);
    expect(own('node', ['a\0b'], home)).toEqual([]);
  });

  it('is the folder that it is started in, but for one that holds what nobody may see', () => {
    put('work/run.sh');
    const working = (path: string | null) => short(ownWorkingFolder(path, places));
    expect(working(join(home, 'work'))).toBe('~/work');
    mkdirSync(data, { recursive: true });
    expect([working(home), working(join(home, '.config')), working(null)]).toEqual([null, null, null]);
  });
});
