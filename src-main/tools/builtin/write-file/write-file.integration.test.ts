import { NO_EARLIER_EFFECTS } from '../../../domain/tool/tool.js';
import { lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileJsonValidator } from '../../../platform/json-schema.js';
import { FileToolBench, findsSecrets } from '../file-tool.test-support.js';
import { findSchemaProblems } from '../../registry/schema-rules.js';
import { writeFileTool } from './handler.js';

let bench: FileToolBench;
beforeEach(async () => {
  bench = await FileToolBench.create();
});
afterEach(() => bench[Symbol.asyncDispose]());

const write = (path: string, content = 'text') => bench.call(writeFileTool, { path, content });
const code = (path: string, content?: string) => bench.code(writeFileTool, { path, content: content ?? 'text' });
const plan = async (path: string) => {
  const args = writeFileTool.parse({ path, content: 'text' });
  const context = {
    sandbox: bench.jail,
    config: bench.config,
    readLog: bench.readLog,
    shows: () => undefined,
    foreseen: NO_EARLIER_EFFECTS,
    findsSecrets,
  };
  return {
    ...(await writeFileTool.preflight(args, context, null)),
    effect: await writeFileTool.effect(args, context, null),
  };
};

describe('write_file', () => {
  it('has schemas that obey the rules, and leaves its content to its own limit', () => {
    expect(findSchemaProblems(writeFileTool.declaration.inputSchema)).toEqual([]);
    expect(findSchemaProblems(writeFileTool.declaration.outputSchema)).toEqual([]);
    expect(writeFileTool.argumentsBoundedElsewhere).toEqual(['content']);
    expect(compileJsonValidator(writeFileTool.declaration.inputSchema)({ path: 'a' }).ok).toBe(false);
    expect(writeFileTool.summary(writeFileTool.parse({ path: 'a', content: 'é' }), (path) => path)).toBe(
      'Create a (2 bytes)',
    );
  });

  it('creates the file and its folders, exactly, and counts as having read it', async () => {
    const content = 'line\r\n\u0000\ufeff\u001b[31mé😀';
    expect(await write('a/b/c.txt', content)).toMatchObject({
      ok: true,
      changed: [{ path: 'a/b/c.txt', change: 'created', undoable: true }],
      output: { structured: { path: 'a/b/c.txt', bytes: Buffer.byteLength(content) } },
    });
    expect(await readFile(join(bench.root, 'a/b/c.txt'), 'utf8')).toBe(content);
    expect(bench.readLog.lookup(join(bench.root, 'a/b/c.txt'))).not.toBeNull();
    expect(await code('empty', '')).toBe('ok');
  });

  it('never overwrites a file, a folder or a link', async () => {
    await writeFile(join(bench.root, 'file'), 'old');
    await mkdir(join(bench.root, 'folder'));
    await symlink('file', join(bench.root, 'link'));
    for (const path of ['file', 'folder', 'link', '.']) expect(await code(path), path).toBe('ExecutionFailed');
    expect(await code('file/below')).toBe('ExecutionFailed');
    expect(await readFile(join(bench.root, 'file'), 'utf8')).toBe('old');
    expect((await plan('file')).effect).toMatchObject({ kind: 'problem' });
  });

  it('never writes outside', async () => {
    await symlink(bench.base, join(bench.root, 'up'));
    await symlink(join(bench.base, 'not-yet'), join(bench.root, 'dangling'));
    for (const path of ['up/x', 'dangling', '../x', '/tmp/gatehouse-x', 'up/new/x']) {
      expect(await code(path), path).toBe('PathOutsideSandbox');
    }
    for (const path of ['.ssh/config', 'a/.ssh/b', 'x.key'])
      expect(await code(path), path).toBe('DeniedPatternMatched');
    for (const path of ['x', 'not-yet']) {
      await expect(lstat(join(bench.base, path))).rejects.toMatchObject({ code: 'ENOENT' });
    }
  });

  it('keeps to its size, in bytes', async () => {
    const most = bench.config.tools.write_file.max_bytes;
    expect(await code('most', 'x'.repeat(most))).toBe('ok');
    expect(await code('more', 'x'.repeat(most + 1))).toBe('LimitsExceeded');
    expect(await code('wide', 'é'.repeat(most / 2 + 1))).toBe('LimitsExceeded');
    expect(await code('half', '\ud800')).toBe('BadArgs');
  });

  it('asks, as High risk, before it makes what other programs obey', async () => {
    expect(await plan('src/new.ts')).toMatchObject({
      risk: 'medium',
      mustAsk: null,
      effect: { kind: 'files', files: [{ path: 'src/new.ts', change: 'created', before: null, after: 'text' }] },
    });
    for (const path of ['.git/hooks/pre-commit', '.envrc', '.vscode/tasks.json', '.gatehouse/config.toml']) {
      const { risk, mustAsk } = await plan(path);
      expect(risk, path).toBe('high');
      expect(mustAsk, path).toContain(path);
    }
  });
});
