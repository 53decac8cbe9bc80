import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JailedPath } from '../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { PathJail } from './path-jail.js';
import { contentIn, failureOf, settings } from './path-jail.test-support.js';

let base: string;
let root: string;
let jail: PathJail;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'jail-')));
  root = join(base, 'root');
  await mkdir(join(root, 'src/deep'), { recursive: true });
  await mkdir(join(base, 'root-evil'));
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside/secret'), 'secret');
  await writeFile(join(base, 'root-evil/secret'), 'secret');
  await writeFile(join(root, 'src/main.ts'), 'hello');
  jail = await PathJail.create(root, settings());
});

afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

const codeOf = async (work: Promise<unknown>): Promise<string | null> => (await failureOf(work))?.code ?? null;

describe('validation', () => {
  it('gives the canonical path, existing or not', async () => {
    const path = await jail.validate('./src//main.ts');
    expect(path).toMatchObject({
      absolute: join(root, 'src/main.ts'),
      relative: 'src/main.ts',
      root,
      asked: './src//main.ts',
      isControlFile: false,
    });
    expect((await jail.validate('new/folder/file')).relative).toBe('new/folder/file');
    expect((await jail.validate('.')).relative).toBe('');
    expect((await jail.validate('.git/hooks/new')).isControlFile).toBe(true);
    expect(await contentIn(jail, path)).toBe('hello');
  });

  it('T-SBX-01 rejects every step up', async () => {
    for (const path of [
      '..',
      '../outside/secret',
      'src/../main.ts',
      'src/..',
      '..\\outside',
      'a\\..\\..\\b',
      './../x',
    ]) {
      expect(await codeOf(jail.validate(path)), path).toBe('PathOutsideSandbox');
    }
    for (const path of ['...', 'a..b', '..a', 'src/..b']) expect(await codeOf(jail.validate(path)), path).toBeNull();
  });

  it('T-SBX-02 rejects absolute paths unless they are allowed', async () => {
    for (const path of ['/etc/passwd', join(root, 'src/main.ts'), 'C:\\Windows', 'C:/Windows', '\\\\server\\share']) {
      expect(await codeOf(jail.validate(path)), path).toBe('PathOutsideSandbox');
    }
    const open = await PathJail.create(root, settings({ allow_absolute: true }));
    expect((await open.validate(join(root, 'src/main.ts'))).relative).toBe('src/main.ts');
    expect(await codeOf(open.validate('/etc/passwd'))).toBe('PathOutsideSandbox');
    expect(await codeOf(open.validate(join(base, 'root-evil/secret')))).toBe('PathOutsideSandbox');
    expect(await codeOf(open.validate(`${root}/../root-evil/secret`))).toBe('PathOutsideSandbox');
  });

  it('understands an absolute path inside the root as its relative form, by whatever name the root is reached', async () => {
    const open = await PathJail.create(root, settings({ allow_absolute: true }));
    await symlink(root, join(base, 'by-link'));
    await mkdir(join(root, '.ssh'));
    await symlink('src', join(root, '.ssh/plain'));
    for (const [asked, relative] of [
      [join(root, 'src/main.ts'), 'src/main.ts'],
      [`${root}//src/./main.ts`, 'src/main.ts'],
      [join(base, 'by-link/src/main.ts'), 'src/main.ts'],
      [join(root, 'new/file'), 'new/file'],
      [root, '.'],
    ] as const) {
      const judged = await open.validate(asked);
      const same = await open.validate(relative);
      expect({ ...judged }, asked).toEqual({ ...same });
      expect(judged.asked, asked).toBe(relative);
    }
    // What is denied by its name is denied by every name that leads there.
    expect(await codeOf(open.validate(join(base, 'by-link/.ssh/plain')))).toBe('DeniedPatternMatched');
  });

  it('where they are not allowed, says the relative form of a path inside the root, and of no other', async () => {
    await symlink(root, join(base, 'by-link'));
    for (const asked of [join(root, 'src/main.ts'), join(base, 'by-link/src/main.ts')]) {
      expect(await failureOf(jail.validate(asked)), asked).toMatchObject({
        code: 'PathOutsideSandbox',
        message: expect.stringContaining('from the workspace it is “src/main.ts”'),
      });
    }
    for (const asked of ['/etc/passwd', join(base, 'root-evil/secret'), `${root}/../x`, `${root}/src/../main.ts`]) {
      const failure = await failureOf(jail.validate(asked));
      expect(failure, asked).toMatchObject({ code: 'PathOutsideSandbox' });
      expect(failure?.message, asked).not.toContain('from the workspace it is');
    }
    expect(await codeOf(jail.validate(`${root}/a\0b`))).toBe('BadArgs');
    expect(await codeOf(jail.validate(`${root}/${'x'.repeat(5000)}`))).toBe('BadArgs');
  });

  it('T-SBX-03 matches denied patterns on the canonical path', async () => {
    await mkdir(join(root, '.ssh'));
    await writeFile(join(root, '.ssh/config'), 'x');
    await symlink('.ssh', join(root, 'innocent'));
    for (const path of ['innocent/config', 'innocent', '.ssh', '.SSH/config', 'new/.ssh/authorized_keys', 'a/X.PEM']) {
      expect(await codeOf(jail.validate(path)), path).toBe('DeniedPatternMatched');
    }
    await symlink('src/main.ts', join(root, 'named.pem'));
    expect(await failureOf(jail.validate('named.pem'))).toMatchObject({
      code: 'DeniedPatternMatched',
      pattern: '**/*.pem',
    });
    const lax = await PathJail.create(root, settings({ include_default_denies: false, denied_patterns: ['src/**'] }));
    expect(await codeOf(lax.validate('.ssh/config'))).toBeNull();
    expect(await codeOf(lax.validate('src'))).toBe('DeniedPatternMatched');
    expect(lax.isDenied('src/main.ts')).toBe(true);
    expect(jail.isDenied('a/.ssh')).toBe(true);
  });

  it('says BadArgs of what is no path', async () => {
    for (const path of [
      '',
      '   ',
      '\n',
      'a\0b',
      `src/${'x'.repeat(5000)}`,
      'x'.repeat(300),
      'a/'.repeat(3000),
      '\ud800',
    ]) {
      expect(await codeOf(jail.validate(path)), JSON.stringify(path.slice(0, 20))).toBe('BadArgs');
    }
  });

  it('resolves links that stay inside, and refuses those that lead out', async () => {
    await symlink('src', join(root, 'alias'));
    await symlink(join(base, 'outside'), join(root, 'out'));
    await symlink('../outside/secret', join(root, 'leak'));
    await symlink('../root-evil', join(root, 'evil'));
    await symlink('../outside/not-yet', join(root, 'dangling-out'));
    await symlink('src/not-yet', join(root, 'dangling-in'));
    expect((await jail.validate('alias/main.ts')).relative).toBe('src/main.ts');
    expect((await jail.validate('alias/new')).relative).toBe('src/new');
    expect((await jail.validate('dangling-in')).relative).toBe('src/not-yet');
    for (const path of ['out', 'out/secret', 'out/new', 'leak', 'evil/secret', 'dangling-out', 'dangling-out/x']) {
      expect(await codeOf(jail.validate(path)), path).toBe('PathOutsideSandbox');
    }
  });

  it('refuses loops, existing or with a tail', async () => {
    await symlink('two', join(root, 'one'));
    await symlink('one', join(root, 'two'));
    await symlink('self/x', join(root, 'self'));
    for (const path of ['one', 'two/x', 'self', 'self/y']) {
      expect(await codeOf(jail.validate(path)), path).toBe('SandboxViolation');
    }
  });

  it('refuses FIFOs, sockets and sparse giants at once', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await writeFile(join(root, 'giant'), '');
    await truncate(join(root, 'giant'), 2 ** 40);
    await writeFile(join(root, 'large'), 'x');
    await truncate(join(root, 'large'), 2 ** 25);
    const server = createServer();
    await new Promise<void>((done) => server.listen(join(root, 'socket'), done));
    try {
      for (const path of ['pipe', 'socket', 'giant']) {
        expect(await codeOf(jail.validate(path)), path).toBe('SandboxViolation');
      }
      expect(await codeOf(jail.validate('large'))).toBeNull();
      const devices = await PathJail.create('/dev', settings());
      expect(await codeOf(devices.validate('null'))).toBe('SandboxViolation');
      execFileSync('mkfifo', [join(root, 'b.pem')]);
      expect(await codeOf(jail.validate('b.pem'))).toBe('DeniedPatternMatched');
    } finally {
      server.close();
    }
  });

  it('leaves what is missing, or not the right kind, to whoever opens it', async () => {
    expect(await codeOf(jail.openFile(await jail.validate('none')))).toBe('ExecutionFailed');
    expect(await codeOf(jail.openFile(await jail.validate('src')))).toBe('ExecutionFailed');
    expect(await codeOf(jail.openFile(await jail.validate('.')))).toBe('ExecutionFailed');
    expect(await codeOf(jail.openFile(await jail.validate('src/main.ts/below')))).toBe('ExecutionFailed');
    expect(await codeOf(jail.openDirectory(await jail.validate('src/main.ts')))).toBe('ExecutionFailed');
    expect(await jail.facts(await jail.validate('none/at/all'))).toBeNull();
    expect(await jail.facts(await jail.validate('.'))).toMatchObject({ kind: 'dir' });
  });

  it('tells hard links, for those who write', async () => {
    await link(join(base, 'outside/secret'), join(root, 'hard'));
    expect(await jail.facts(await jail.validate('hard'))).toMatchObject({ kind: 'file', links: 2 });
  });

  it('keeps several roots apart, and says which are unusable', async () => {
    const two = await PathJail.create(root, settings({ allowed_roots: ['src', '../outside', 'none', 'src/deep'] }));
    expect(two.roots).toEqual([join(root, 'src'), join(base, 'outside'), join(root, 'src/deep')]);
    expect(two.refusedRoots).toEqual([{ asked: 'none', why: 'there is no such folder' }]);
    expect(two.workingDirectory).toBe(join(root, 'src'));
    expect((await two.validate('deep/x')).root).toBe(join(root, 'src/deep'));
    await expect(PathJail.create(root, settings({ allowed_roots: ['none'] }))).rejects.toThrow('none');
  });

  it('has a canonical root even when it is reached by a link', async () => {
    await symlink(root, join(base, 'door'));
    const through = await PathJail.create(join(base, 'door'), settings());
    expect((await through.validate('src/main.ts')).absolute).toBe(join(root, 'src/main.ts'));
  });

  it('never lets any string out, and throws nothing but its own failures', async () => {
    await symlink(join(base, 'outside'), join(root, 'out'));
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'src', 'out', 'deep', 'main.ts', 'secret', '~', '/', '\\', 'C:', '\0', '.ssh'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    const paths = fc
      .tuple(fc.array(part, { maxLength: 6 }), fc.constantFrom('/', '\\'))
      .map(([parts, by]) => parts.join(by));
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        try {
          const { absolute } = await jail.validate(path);
          return absolute === root || absolute.startsWith(`${root}/`);
        } catch (error) {
          return error instanceof ToolFailure;
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('after validation', () => {
  it('refuses a link that took the place of a folder, and of a file', async () => {
    const path = await jail.validate('src/main.ts');
    const folder = await jail.validate('src/deep');
    await writeFile(join(base, 'outside/main.ts'), 'secret');
    await rename(join(root, 'src'), join(root, 'src-before'));
    await symlink(join(base, 'outside'), join(root, 'src'));
    expect(await codeOf(jail.openFile(path))).toBe('SandboxViolation');
    expect(await codeOf(jail.openDirectory(folder))).toBe('SandboxViolation');
    expect(await codeOf(jail.facts(path))).toBe('SandboxViolation');
    await rm(join(root, 'src'));
    await mkdir(join(root, 'src'));
    await symlink(join(base, 'outside/secret'), join(root, 'src/main.ts'));
    expect(await codeOf(jail.openFile(path))).toBe('SandboxViolation');
    expect(await jail.facts(path)).toMatchObject({ kind: 'symlink' });
  });

  it('opens in the root that was judged, whatever stands there by the time the path is checked', async () => {
    const judged = jail.inspectRoots();
    await rename(root, `${root}-before`);
    await mkdir(join(root, 'src'), { recursive: true });
    await writeFile(join(root, 'src/main.ts'), 'secret');
    const path = await jail.validate('src/main.ts', judged);
    expect(await codeOf(jail.openFile(path))).toBe('SandboxViolation');
    expect(await codeOf(jail.openDirectory(await jail.validate('src', judged)))).toBe('SandboxViolation');
    expect(await codeOf(jail.facts(path))).toBe('SandboxViolation');
    // A root that was not judged is none.
    expect(await codeOf(jail.openFile(await jail.validate('src/main.ts', [])))).toBe('SandboxViolation');
    await using file = await jail.openFile(await jail.validate('src/main.ts', jail.inspectRoots()));
    expect(file.facts.size).toBe(6);
  });

  it('lists, looks and opens within a folder, never through a link', async () => {
    await symlink(join(base, 'outside'), join(root, 'src/out'));
    await using directory = await jail.openDirectory(await jail.validate('src'));
    const kinds: Record<string, string | null> = {};
    for await (const batch of directory.entries()) for (const { name, kind } of batch) kinds[name] = kind;
    expect(kinds).toEqual({ deep: 'dir', 'main.ts': 'file', out: 'symlink' });
    expect(await directory.facts(Buffer.from('out'))).toMatchObject({ kind: 'symlink' });
    expect(await codeOf(directory.open(Buffer.from('out')))).toBe('SandboxViolation');
    await using deep = await directory.open(Buffer.from('deep'));
    expect(await codeOf(deep.facts(Buffer.from('none')))).toBe('ExecutionFailed');
  });

  it.runIf(process.platform === 'linux')('leaves nothing open, however it ends', async () => {
    await symlink(join(base, 'outside'), join(root, 'src/out'));
    execFileSync('mkfifo', [join(root, 'src/deep/pipe')]);
    const path = await jail.validate('src/main.ts');
    // Made up: as if each had been swapped after it was checked.
    const swapped = (relative: string): JailedPath => ({ ...path, relative });
    const before = (await readdir('/proc/self/fd')).length;
    for (const relative of [
      'src/main.ts',
      'src/out',
      'src/out/secret',
      'src/deep/pipe',
      'src/none/x',
      'src/main.ts/x',
      '',
    ]) {
      const each = swapped(relative);
      await jail.facts(each).catch(() => null);
      await jail
        .openFile(each)
        .then((file) => file[Symbol.asyncDispose]())
        .catch(() => null);
      await jail
        .openDirectory(each)
        .then(async (directory) => {
          for await (const batch of directory.entries()) if (batch.length > 0) break;
          await directory[Symbol.asyncDispose]();
        })
        .catch(() => null);
    }
    expect((await readdir('/proc/self/fd')).length).toBe(before);
  });

  it('survives folders that lie beyond what may be read', async () => {
    await mkdir(join(root, 'closed'), { mode: 0o000 });
    const asked = jail.validate('closed/x');
    // The superuser may read everything; others get a plain refusal.
    const expected = process.getuid?.() === 0 ? null : 'ExecutionFailed';
    expect(await codeOf(asked)).toBe(expected);
  });
});
