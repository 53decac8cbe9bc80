import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, readFile, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileToolBench, findsSecrets } from '../file-tool.test-support.js';
import { readFileTool } from '../read-file/handler.js';
import { treeOf } from '../scenario-runner.test-support.js';
import { writeFileTool } from '../write-file/handler.js';
import { applyPatchTool } from './handler.js';
import { PatchPlan } from './plan.js';
import { NO_EARLIER_EFFECTS } from '../../../domain/tool/tool.js';

const lp1 = (...lines: readonly string[]) => ({ patch: ['LP1', ...lines, 'END', ''].join('\n') });
const edit = (path: string, from: string, to: string) => [`F ${path}`, 'R', from, '.', to, '.'];

async function benchWith(files: Readonly<Record<string, string>>, read = true): Promise<FileToolBench> {
  const bench = await FileToolBench.create();
  for (const [path, content] of Object.entries(files)) {
    await writeFile(join(bench.root, path), content);
    if (read) await bench.content(readFileTool, { path });
  }
  return bench;
}

const planOf = ({ parsed }: ReturnType<typeof applyPatchTool.parse>): PatchPlan =>
  new PatchPlan(parsed.ok ? parsed.patch : expect.fail(parsed.error.problem));

describe('apply_patch', () => {
  it('T-PATCH-01: a failure anywhere leaves no partial writes', async () => {
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}.txt`, `line ${index}\n`]));
    await using bench = await benchWith(files);
    const before = await treeOf(bench.root);
    for (let broken = 0; broken < 12; broken += 1) {
      const sections = Object.keys(files).flatMap((path, index) =>
        edit(path, index === broken ? 'nowhere' : `line ${index}`, 'new'),
      );
      expect(await bench.call(applyPatchTool, lp1('F made/here.txt', 'T', 'x', '.', ...sections))).toMatchObject({
        ok: false,
        failure: { code: 'PatchFailed', file: `f${broken}.txt` },
      });
      expect(await treeOf(bench.root)).toEqual(before);
    }
  });

  it('protects a file that changed since it was read, of the same size and with its times restored', async () => {
    await using bench = await benchWith({ 'a.txt': 'one\n' });
    const file = join(bench.root, 'a.txt');
    const { atime, mtime } = await stat(file);
    await writeFile(file, 'eno\n');
    await utimes(file, atime, mtime);
    expect(await bench.call(applyPatchTool, lp1('F a.txt', 'T', 'x', '.'))).toMatchObject({
      ok: false,
      failure: {
        code: 'StaleFile',
        file: 'a.txt',
        message: expect.stringContaining('File content changed since last read'),
      },
    });
    await bench.content(readFileTool, { path: 'a.txt' });
    expect(await bench.content(applyPatchTool, lp1('F a.txt', 'T', 'x', '.'))).toBe('modified: a.txt');
  });

  it('takes a ranged read, a write_file and its own result for reads', async () => {
    await using bench = await benchWith({ 'a.txt': 'one\ntwo\n' }, false);
    await bench.content(readFileTool, { path: 'a.txt', start_line: 2, end_line: 2 });
    expect(await bench.content(applyPatchTool, lp1(...edit('a.txt', 'one', '1')))).toBe('modified: a.txt');
    expect(await bench.content(applyPatchTool, lp1(...edit('a.txt', '1', '2')))).toBe('modified: a.txt');
    await bench.content(writeFileTool, { path: 'b.txt', content: 'b\n' });
    expect(await bench.content(applyPatchTool, lp1(...edit('b.txt', 'b', 'c')))).toBe('modified: b.txt');
    expect(await bench.content(applyPatchTool, lp1('F c.txt', 'T', 'c', '.'))).toBe('created: c.txt');
    expect(await bench.content(applyPatchTool, lp1(...edit('c.txt', 'c', 'd')))).toBe('modified: c.txt');
  });

  it('needs a new read when a read file was removed and made again', async () => {
    await using bench = await benchWith({ 'a.txt': 'one\n' });
    await writeFile(join(bench.root, 'a.txt'), 'other\n');
    expect(await bench.code(applyPatchTool, lp1('F a.txt', 'T', 'x', '.'))).toBe('StaleFile');
  });

  it('keeps the mode of what it changes', async () => {
    await using bench = await benchWith({ 'run.sh': '#!/bin/sh\n' });
    await chmod(join(bench.root, 'run.sh'), 0o750);
    await bench.content(applyPatchTool, lp1('F run.sh', 'T', 'true', '.'));
    expect((await stat(join(bench.root, 'run.sh'))).mode & 0o7777).toBe(0o750);
  });

  it('refuses hard links before anybody is asked', async () => {
    await using bench = await benchWith({ 'a.txt': 'one\n' });
    await writeFile(join(bench.base, 'outside.txt'), 'one\n');
    await link(join(bench.base, 'outside.txt'), join(bench.root, 'hard.txt'));
    const args = applyPatchTool.parse(lp1('F hard.txt', 'T', 'x', '.'));
    await expect(
      applyPatchTool.preflight(args, { sandbox: bench.jail, config: bench.config, findsSecrets }, planOf(args)),
    ).rejects.toMatchObject({
      failure: { code: 'SandboxViolation', attempted: 'hard.txt' },
    });
    expect(await readFile(join(bench.base, 'outside.txt'), 'utf8')).toBe('one\n');
  });

  it('follows a link that stays inside once, and refuses one that leads out', async () => {
    await using bench = await benchWith({ 'a.txt': 'one\n' });
    await symlink('a.txt', join(bench.root, 'inside'));
    await symlink(bench.base, join(bench.root, 'out'));
    expect(await bench.content(applyPatchTool, lp1('F inside', 'T', 'x', '.'))).toBe('modified: a.txt');
    expect(await readFile(join(bench.root, 'inside'), 'utf8')).toBe('one\nx\n');
    expect(await bench.code(applyPatchTool, lp1('F out/b.txt', 'T', 'x', '.'))).toBe('PathOutsideSandbox');
  });

  it('refuses FIFOs at once', async () => {
    await using bench = await benchWith({});
    execFileSync('mkfifo', [join(bench.root, 'pipe')]);
    expect(await bench.code(applyPatchTool, lp1('F pipe', 'T', 'x', '.'))).toBe('SandboxViolation');
  });

  it('does not patch files over 64 MB', async () => {
    await using bench = await benchWith({ 'big.txt': '' });
    await writeFile(join(bench.root, 'big.txt'), 'x'.repeat(65) + '\n');
    await truncate(join(bench.root, 'big.txt'), 64 * 1024 * 1024 + 1);
    expect(await bench.call(applyPatchTool, lp1('F big.txt', 'T', 'x', '.'))).toMatchObject({
      ok: false,
      failure: { code: 'PatchFailed', file: 'big.txt', message: expect.stringContaining('64 MiB') },
    });
  });

  it('asks for control files whatever the policy, existing or not', async () => {
    await using bench = await benchWith({ 'a.txt': 'one\n' });
    const preflight = (...lines: readonly string[]) => {
      const args = applyPatchTool.parse(lp1(...lines));
      return applyPatchTool.preflight(args, { sandbox: bench.jail, config: bench.config, findsSecrets }, planOf(args));
    };
    expect(await preflight('F a.txt', 'T', 'x', '.')).toEqual({ risk: 'medium', mustAsk: null });
    expect(await preflight('F a.txt', 'T', 'x', '.', 'F .envrc', 'T', 'x', '.')).toMatchObject({
      risk: 'high',
      mustAsk: expect.stringContaining('“.envrc”'),
    });
  });

  it('shows what it would do, and does not do it', async () => {
    await using bench = await benchWith({ 'a.txt': 'one\n' });
    const effect = (...lines: readonly string[]) => {
      const args = applyPatchTool.parse(lp1(...lines));
      const { jail: sandbox, config, readLog } = bench;
      const context = { sandbox, config, readLog, shows: () => undefined, foreseen: NO_EARLIER_EFFECTS };
      return applyPatchTool.effect(args, context, planOf(args));
    };
    expect(await effect(...edit('a.txt', 'one', 'two'), 'F b/c.txt', 'T', 'c', '.')).toEqual({
      kind: 'files',
      files: [
        { path: 'a.txt', change: 'modified', before: 'one\n', after: 'two\n', note: null },
        { path: 'b/c.txt', change: 'created', before: null, after: 'c\n', note: null },
      ],
    });
    expect(await effect(...edit('a.txt', 'none', 'two'))).toMatchObject({
      kind: 'problem',
      message: expect.stringContaining('a.txt'),
    });
    expect(await treeOf(bench.root)).toEqual({ 'a.txt': 'one\n' });
  });

  it('stops in the middle of long work when the call is stopped', async () => {
    await using bench = await benchWith({ 'a.txt': 'x\n'.repeat(300_000) }, false);
    await bench.content(readFileTool, { path: 'a.txt', start_line: 1, end_line: 1 });
    const stop = new AbortController();
    const operations = Array.from({ length: 10_000 }, () => ['P 1', 'x', '.', 'y', '.']).flat();
    const call = bench.call(applyPatchTool, lp1('F a.txt', ...operations), { signal: stop.signal });
    stop.abort(new Error('stopped by the test'));
    await expect(call).rejects.toThrow('stopped by the test');
    expect((await stat(join(bench.root, 'a.txt'))).size).toBe(600_000);
  });

  it('patches a file in a folder whose name is not plain', async () => {
    await using bench = await benchWith({});
    await mkdir(join(bench.root, 'a "b\\ #é'));
    await writeFile(join(bench.root, 'a "b\\ #é/c d.txt'), 'one\n');
    await bench.content(readFileTool, { path: 'a "b\\ #é/c d.txt' });
    const quoted = String.raw`F "a \"b\\ #é/c d.txt"`;
    expect(await bench.content(applyPatchTool, lp1(quoted, 'T', 'two', '.'))).toBe('modified: a "b\\ #é/c d.txt');
  });
});
