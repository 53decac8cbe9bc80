import { execFileSync } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { sanitize } from '../../../domain/text/sanitize.js';
import { type CallLimits, FileToolBench } from '../file-tool.test-support.js';
import type { ListDirectoryResult } from './definition.js';
import { listDirectoryTool } from './handler.js';

let bench: FileToolBench;
beforeEach(async () => {
  bench = await FileToolBench.create();
});
afterEach(() => bench[Symbol.asyncDispose]());

const list = async (args: JsonObject, limits?: CallLimits) =>
  JSON.parse(await bench.content(listDirectoryTool, { path: '.', ...args }, limits)) as ListDirectoryResult;
const pathsOf = (result: ListDirectoryResult) => result.entries.map((entry) => entry.path);
const code = (args: JsonObject) => bench.code(listDirectoryTool, { path: '.', ...args });

const make = async (...paths: string[]) => {
  for (const path of paths) {
    const full = join(bench.root, path);
    await mkdir(path.endsWith('/') ? full : join(full, '..'), { recursive: true });
    if (!path.endsWith('/')) await writeFile(full, path);
  }
};

describe('list_directory', () => {
  it('tells kinds apart, and shows what it was asked for', async () => {
    await make('file', 'dir/', '.hidden/inside', '.dot');
    await symlink('/etc', join(bench.root, 'link'));
    execFileSync('mkfifo', [join(bench.root, 'pipe')]);
    expect(pathsOf(await list({}))).toEqual(['dir', 'file', 'link']);
    expect(pathsOf(await list({ include_other: true }))).toEqual(['dir', 'file', 'link', 'pipe']);
    expect(pathsOf(await list({ include_hidden: true, recursive: true }))).toEqual([
      '.dot',
      '.hidden',
      '.hidden/inside',
      'dir',
      'file',
      'link',
    ]);
    expect(pathsOf(await list({ include_dirs: false, include_symlinks: false }))).toEqual(['file']);
    const { entries } = await list({ include_other: true });
    expect(entries.map(({ type, size_bytes }) => [type, size_bytes])).toEqual([
      ['dir', null],
      ['file', 4],
      ['symlink', null],
      ['other', null],
    ]);
    expect(entries.every((entry) => Number.isInteger(entry.modified_epoch_ms) && entry.error === null)).toBe(true);
  });

  it('does not follow links, even around in a circle', async () => {
    await make('a/b/c');
    await symlink('../..', join(bench.root, 'a/b/up'));
    await symlink('/', join(bench.root, 'a/out'));
    expect(pathsOf(await list({ recursive: true }))).toEqual(['a', 'a/b', 'a/b/c', 'a/b/up', 'a/out']);
  });

  it('goes as deep as asked, and no deeper than allowed', async () => {
    await make('1/2/3/4/5/6');
    expect(pathsOf(await list({ recursive: true }))).toEqual(['1', '1/2', '1/2/3', '1/2/3/4']);
    expect(pathsOf(await list({ recursive: true, max_depth: 2 }))).toEqual(['1', '1/2']);
    expect(pathsOf(await list({ recursive: true, include_dirs: false, path: '1/2/3' }))).toEqual(['4/5/6']);
    expect(await code({ recursive: true, max_depth: 5 })).toBe('BadArgs');
    expect(await code({ max_entries: 201 })).toBe('BadArgs');
    expect(await code({ max_entries: 0 })).toBe('BadArgs');
  });

  it('leaves out what is denied, and does not go in', async () => {
    await make('.ssh/config', 'a/x.PEM', 'a/id_rsa', 'a/ok', 'keys.pem/inside', 'b/.gnupg/ring');
    expect(pathsOf(await list({ recursive: true, include_hidden: true }))).toEqual(['a', 'a/ok', 'b']);
    expect(pathsOf(await list({ path: 'a', include_hidden: true }))).toEqual(['ok']);
  });

  it('keeps the first in path order when it must drop, for either limit', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `f${String((index * 7) % 300).padStart(3, '0')}`);
    await make(...names);
    const all = names.toSorted();
    const byEntries = await list({});
    expect(byEntries).toMatchObject({
      returned: 200,
      truncated: true,
      truncated_reason: 'max_entries',
      max_entries: 200,
    });
    expect(pathsOf(byEntries)).toEqual(all.slice(0, 200));
    for (const outputLimit of [200, 500, 1000, 5000]) {
      const text = await bench.content(listDirectoryTool, { path: '.' }, { outputLimit });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(outputLimit);
      const result = JSON.parse(text) as ListDirectoryResult;
      expect(result.truncated_reason).toBe('max_output_bytes');
      expect(pathsOf(result)).toEqual(all.slice(0, result.returned));
    }
    expect(await bench.code(listDirectoryTool, { path: '.' }, { outputLimit: 20 })).toBe('ExecutionFailed');
  });

  it('looks past any number of denied names for those that may be shown', async () => {
    await make(...Array.from({ length: 1500 }, (_, index) => `a${index}.pem`), 'z');
    expect(pathsOf(await list({}))).toEqual(['z']);
  });

  it('shows names that are hostile or no UTF-8, and stays JSON', async () => {
    const raw = Buffer.from([0x61, 0xff, 0xfe]);
    await writeFile(Buffer.concat([Buffer.from(`${bench.root}/`), raw]), 'abc');
    await make('esc\u001b]0;title\u0007', 'csi\u009b31m', 'new\nline', '"quoted"', '\u202ebidi');
    const result = await list({});
    expect(result.returned).toBe(6);
    expect(result.entries.find((entry) => entry.name === 'a\ufffd\ufffd')).toMatchObject({
      type: 'file',
      size_bytes: 3,
    });
    const text = await bench.content(listDirectoryTool, { path: '.' });
    expect(sanitize(text)).toEqual({ text, removed: 0 });
  });

  it('gives the same bytes for the same tree, sorted byte by byte, whatever the tree', async () => {
    const name = fc.stringMatching(/^[a-z!\-.0é\u{ffff}\u{1f600}]{1,3}$/u).filter((text) => !/^\.+$/.test(text));
    const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(paths, fc.integer({ min: 1, max: 20 }), async (tree, max) => {
        await using own = await FileToolBench.create();
        for (const parts of tree) {
          // A name may be a file in one path and a folder in another; the first wins.
          await mkdir(join(own.root, ...parts.slice(0, -1)), { recursive: true }).catch(() => undefined);
          await writeFile(join(own.root, ...parts), '', { flag: 'wx' }).catch(() => undefined);
        }
        const args = { path: '.', recursive: true, include_hidden: true };
        const whole = await own.content(listDirectoryTool, args);
        expect(await own.content(listDirectoryTool, args)).toBe(whole);
        const found = pathsOf(JSON.parse(whole) as ListDirectoryResult);
        expect(found).toEqual(found.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
        const some = JSON.parse(
          await own.content(listDirectoryTool, { ...args, max_entries: max }),
        ) as ListDirectoryResult;
        expect(pathsOf(some)).toEqual(found.slice(0, max));
        expect(some.truncated).toBe(found.length > max);
      }),
      { numRuns: 40 },
    );
  });

  it('shows exactly what may be read: listing and reading agree on what is denied', async () => {
    const name = fc.constantFrom('a', 'b.pem', '.ssh', 'X.KEY', 'id_rsa', 'c', '.aws', 'credentials', '.Gnupg', 'd');
    const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(paths, async (tree) => {
        await using own = await FileToolBench.create();
        for (const parts of tree) {
          await mkdir(join(own.root, ...parts.slice(0, -1)), { recursive: true }).catch(() => undefined);
          await writeFile(join(own.root, ...parts), '', { flag: 'wx' }).catch(() => undefined);
        }
        const args = { path: '.', recursive: true, include_hidden: true };
        const listed = pathsOf(JSON.parse(await own.content(listDirectoryTool, args)) as ListDirectoryResult);
        const all = await readdir(own.root, { recursive: true });
        const allowed = await Promise.all(
          all.map(async (path) => ((await own.jail.validate(path).catch(() => null)) === null ? [] : [path])),
        );
        expect(listed.toSorted()).toEqual(allowed.flat().toSorted());
      }),
      { numRuns: 40 },
    );
  });

  it('says what is missing or no folder, and ends when aborted', async () => {
    await make('file');
    expect(await code({ path: 'none' })).toBe('ExecutionFailed');
    expect(await code({ path: 'file' })).toBe('ExecutionFailed');
    expect(await code({ path: '/' })).toBe('PathOutsideSandbox');
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    await expect(bench.call(listDirectoryTool, { path: '.' }, { signal: stop.signal })).rejects.toThrow('stopped');
  });
});
