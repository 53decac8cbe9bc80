import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ownFiles } from './own-files.js';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-own-')));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const put = (name: string, text = ''): string => {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o755 });
  return path;
};
const data = join(home, '.config/gatehouse');
const own = (command: string, args: readonly string[], cwd: string | null = null) =>
  ownFiles(command, args, cwd, { homes: [home], hidden: [data, join(home, 'open-folder')] }).map((path) =>
    path.replace(`${home}/`, '~/'),
  );

describe('what of a command’s words is its own program', () => {
  it('is the package that a program lies in, by its mark, and what it loads beside it', () => {
    put('server/package.json', '{}');
    expect(own('node', [put('server/dist/index.js'), '--flag'])).toEqual(['~/server']);
    expect(own('node', [put('tools/node_modules/pkg/bin/run.mjs')])).toEqual(['~/tools/node_modules']);
    put('venv/pyvenv.cfg');
    expect(own(put('venv/bin/python'), ['-m', 'server'])).toEqual(['~/venv']);
    symlinkSync(join(home, 'server'), join(home, 'linked'));
    expect(own('node', [join(home, 'linked/dist/index.js')])).toEqual(['~/linked', '~/server']);
  });

  it('is no more than the file itself where its folder is more than its own', () => {
    expect(own('node', [put('loose.js')])).toEqual(['~/loose.js']);
    put('open-folder/package.json', '{}');
    expect(own('node', [put('open-folder/tools/run.js')])).toEqual(['~/open-folder/tools']);
    expect(own('node', [put('open-folder/run.js')])).toEqual(['~/open-folder/run.js']);
  });

  it('is of other files the file, and of folders nothing: they are what it is to work on', () => {
    put('docs/a.txt');
    expect(own('server', [put('settings/server.json'), join(home, 'docs'), 'relative/path', '/nowhere/x.js'])).toEqual([
      '~/settings/server.json',
    ]);
    expect(own('/usr/bin/env', [])).toEqual(['/usr/bin/env']);
  });

  it('is the folder that it is started in, but for one that holds what nobody may see', () => {
    put('work/run.sh');
    expect(own('./run.sh', [], join(home, 'work'))).toEqual(['~/work']);
    expect(own('sh', [], home)).toEqual([]);
    mkdirSync(data, { recursive: true });
    expect(own('sh', [], join(home, '.config'))).toEqual([]);
  });
});
