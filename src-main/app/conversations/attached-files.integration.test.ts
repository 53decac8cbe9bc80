import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PathJail } from '../../workspace/sandbox/path-jail.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { testFolder } from '../../tests/gate/gate.test-support.js';
import { readAttached } from './attached-files.js';
import { findFiles } from './find-files.js';

async function folder(files: Readonly<Record<string, string | Uint8Array>>, roots: readonly string[] = []) {
  const root = testFolder('attached');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const config = defaultConfig({ sandbox: { allowed_roots: ['.', ...roots] } });
  const sandbox = await PathJail.create(root, config.tools.sandbox);
  const situation = { config, sandbox, workspace: root, isOpen: true };
  const read = (...paths: readonly string[]) =>
    readAttached(paths, situation, async (bytes) => Buffer.from(bytes).includes('hunter2'));
  return { root, sandbox, read, most: config.tools.read_file.max_file_read_bytes };
}

it('attached files are given as text, as they are now, each once', async () => {
  const { read, root } = await folder({ 'a.ts': 'one', 'deep/ü.md': 'Grüße 👋' });
  await expect(read('a.ts', 'deep/ü.md', 'a.ts')).resolves.toEqual([
    { kind: 'file', path: 'a.ts', text: 'one' },
    { kind: 'file', path: 'deep/ü.md', text: 'Grüße 👋' },
  ]);
  writeFileSync(join(root, 'a.ts'), 'two');
  await expect(read('a.ts')).resolves.toMatchObject([{ text: 'two' }]);
});

it('attached files are read through the jail', async () => {
  const { read, root } = await folder({ 'a.ts': '', 'id_rsa.pem': 'x' });
  const outside = testFolder('outside');
  writeFileSync(join(outside, 'o.txt'), 'out');
  symlinkSync(join(outside, 'o.txt'), join(root, 'link.txt'));
  const code = (path: string) => read(path).then(String, (error: { failure: { code: string } }) => error.failure.code);
  await expect(code('../o.txt')).resolves.toBe('PathOutsideSandbox');
  await expect(code(join(outside, 'o.txt'))).resolves.toBe('PathOutsideSandbox');
  await expect(code('link.txt')).resolves.toBe('PathOutsideSandbox');
  await expect(code('id_rsa.pem')).resolves.toBe('DeniedPatternMatched');
  await expect(code('missing.ts')).resolves.toBe('ExecutionFailed');
  await expect(code('.')).resolves.toBe('ExecutionFailed');
});

it('the root that an attached file was read in is named, where a link leads into another', async () => {
  const other = testFolder('other');
  writeFileSync(join(other, 'README.md'), 'theirs');
  const { read, root } = await folder({ 'README.md': 'ours' }, [other]);
  await expect(read('README.md')).resolves.toEqual([{ kind: 'file', path: 'README.md', text: 'ours' }]);
  rmSync(join(root, 'README.md'));
  symlinkSync(join(other, 'README.md'), join(root, 'README.md'));
  await expect(read('README.md')).resolves.toEqual([{ kind: 'file', path: join(other, 'README.md'), text: 'theirs' }]);
});

it('no file of secrets can be attached, and no sample that holds some', async () => {
  const { read } = await folder({ '.env': 'A=1', '.env.example': 'A=hunter2', '.env.sample': 'A=' });
  await expect(read('.env')).rejects.toThrow('file of secrets');
  await expect(read('.env.example')).rejects.toThrow('file of secrets');
  await expect(read('.env.sample')).resolves.toHaveLength(1);
});

it('an attached file is text within its bound, and nothing else', async () => {
  const { read, most } = await folder({ bin: new Uint8Array([1, 0, 2]), latin: new Uint8Array([0xe9]), empty: '' });
  await expect(read('bin')).rejects.toThrow('no text');
  await expect(read('latin')).rejects.toThrow('no text');
  await expect(read('empty')).resolves.toMatchObject([{ text: '' }]);
  const sized = await folder({ most: 'x'.repeat(most), more: 'x'.repeat(most + 1) });
  await expect(sized.read('most')).resolves.toHaveLength(1);
  await expect(sized.read('more')).rejects.toThrow(`more than the ${most} bytes`);
});

it('the search finds files by any of their words, near ones first, and none that is denied, of Git or made by tools', async () => {
  const { sandbox, root } = await folder({
    'src/loop/a.ts': '',
    'src/loop.ts': '',
    'loop.md': '',
    'deep/er/loop.txt': '',
    'node_modules/loop/index.js': '',
    '.git/loop': '',
    'loop.pem': '',
    '.github/loop.yml': '',
  });
  symlinkSync(testFolder('elsewhere'), join(root, 'loop-link'));
  await expect(findFiles(sandbox, 'loop')).resolves.toEqual([
    'loop.md',
    '.github/loop.yml',
    'src/loop.ts',
    'deep/er/loop.txt',
    'src/loop/a.ts',
  ]);
  await expect(findFiles(sandbox, 'SRC ts')).resolves.toEqual(['src/loop.ts', 'src/loop/a.ts']);
  await expect(findFiles(sandbox, '')).resolves.toContain('loop.md');
  await expect(findFiles(sandbox, 'nothing like it')).resolves.toEqual([]);
});
