import { contextRoom } from '../../../domain/text/cut-to-context.js';
import { createHash } from 'node:crypto';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { type CallLimits, FileToolBench } from '../file-tool.test-support.js';
import { unpatchedFsPromises } from '../../../platform/files/unpatched-fs.js';
import { listDirectoryTool } from '../list-directory/handler.js';
import { writeFileTool } from '../write-file/handler.js';
import { readFileTool } from './handler.js';
import { LARGEST_FILE } from '../../../domain/size-bounds.js';

let bench: FileToolBench;
beforeEach(async () => {
  bench = await FileToolBench.create();
});
afterEach(() => bench[Symbol.asyncDispose]());

const put = (name: string, content: string | Uint8Array) => writeFile(join(bench.root, name), content);
const read = (args: JsonObject, limits?: CallLimits) => bench.content(readFileTool, args, limits);
const code = (args: JsonObject, limits?: CallLimits) => bench.code(readFileTool, args, limits);
const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');
const logged = (name: string) => bench.readLog.lookup(join(bench.root, name))?.sha256 ?? null;

describe('T-READ-01 line ranges', () => {
  it('gives the exact text of the lines, whatever the file is made of', async () => {
    const lines = fc.array(fc.constantFrom('a', 'longer line', '', 'é😀', '\r', 'x'.repeat(9000)), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.integer({ min: 1, max: 14 }),
        fc.nat(14),
        async (parts, newline, final, first, more) => {
          const text = parts.join(newline) + (final && parts.length > 0 ? newline : '');
          await put('a.txt', text);
          const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
          const args = { path: 'a.txt', start_line: first, end_line: first + more };
          if (first > all.length) expect(await code(args)).toBe('BadArgs');
          else expect(await read(args)).toBe(all.slice(first - 1, first + more).join(''));
          if (first <= all.length) expect(logged('a.txt')).toBe(sha256(text));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('says how many lines there are when the first asked for is past the end', async () => {
    await put('a.txt', 'one\ntwo');
    const result = await bench.call(readFileTool, { path: 'a.txt', start_line: 3 });
    expect(result).toMatchObject({ ok: false, failure: { code: 'BadArgs' } });
    expect(JSON.stringify(result)).toContain('has 2 lines');
    await put('empty', '');
    expect(await code({ path: 'empty', start_line: 1 })).toBe('BadArgs');
    expect(await read({ path: 'empty', end_line: 5 })).toBe('');
    expect(await read({ path: 'empty' })).toBe('');
  });

  it('does not take a byte order mark for nothing', async () => {
    await put('bom.txt', '\ufeffone\ntwo\n');
    expect(await read({ path: 'bom.txt' })).toBe('\ufeffone\ntwo\n');
    expect(await read({ path: 'bom.txt', end_line: 1 })).toBe('\ufeffone\n');
  });
});

describe('T-READ-02 the scan limit', () => {
  const LIMIT = 2 * 2 ** 20;

  it('lets ranges be read that end within it, in files of any size', async () => {
    await put('large.txt', 'x'.repeat(99) + '\n' + ('y'.repeat(99) + '\n').repeat(60_000));
    expect(await read({ path: 'large.txt', start_line: 1, end_line: 1 })).toBe(`${'x'.repeat(99)}\n`);
    expect(await read({ path: 'large.txt', start_line: 20_000, end_line: 20_001 })).toBe(
      `${'y'.repeat(99)}\n`.repeat(2),
    );
    expect(logged('large.txt')).not.toBeNull();
    const result = await bench.call(readFileTool, { path: 'large.txt', start_line: 30_000, end_line: 30_001 });
    expect(result).toMatchObject({ ok: false, failure: { code: 'ExecutionFailed' } });
    expect(JSON.stringify(result)).toContain('Narrow the range');
    expect(await code({ path: 'large.txt', start_line: 1 })).toBe('ExecutionFailed');
  });

  it('counts to the byte', async () => {
    await put('exact.txt', `${'x'.repeat(LIMIT - 1)}\n`);
    expect((await read({ path: 'exact.txt', start_line: 1 })).length).toBe(LIMIT);
    await put('over.txt', `${'x'.repeat(LIMIT)}\n`);
    expect(await code({ path: 'over.txt', start_line: 1 })).toBe('ExecutionFailed');
    expect(await code({ path: 'over.txt', start_line: 2 })).toBe('ExecutionFailed');
  });

  it('reads of a giant only what it needs', async () => {
    await put('giant', 'first\nsecond\n');
    await truncate(join(bench.root, 'giant'), 900 * 2 ** 20);
    expect(await code({ path: 'giant' })).toBe('ok');
    await put('text-then-zeros', 'line\n'.repeat(2000));
    await truncate(join(bench.root, 'text-then-zeros'), 900 * 2 ** 20);
    expect(await read({ path: 'text-then-zeros', end_line: 1 })).toBe('line\n');
    expect(logged('text-then-zeros')).toBeNull();
    expect(LARGEST_FILE).toBeLessThan(900 * 2 ** 20);
  });
});

describe('whole files', () => {
  it('asks for a range when the file is larger than may be read', async () => {
    await put('a.txt', 'x'.repeat(204_801));
    expect(JSON.stringify(await bench.call(readFileTool, { path: 'a.txt' }))).toContain('start_line');
    await put('b.txt', 'x'.repeat(204_800));
    expect((await read({ path: 'b.txt' }, { capacityBytes: 2 ** 20 })).length).toBe(204_800);
    expect(await code({ path: 'b.txt' }, { capacityBytes: 1000 })).toBe('ExecutionFailed');
    expect(logged('a.txt')).toBeNull();
  });

  it('remembers what was read, for the file it really is', async () => {
    await put('a.txt', 'content');
    await read({ path: 'a.txt' });
    expect(logged('a.txt')).toBe(sha256('content'));
  });
});

describe('binary files', () => {
  it('are what has a NUL early, or is not UTF-8, wherever that shows', async () => {
    await put('nul', Buffer.concat([Buffer.from('x'.repeat(8191)), Buffer.from([0])]));
    await put('late-nul', Buffer.concat([Buffer.from('x'.repeat(8192)), Buffer.from([0])]));
    await put('latin', Buffer.from('caf\u00e9', 'latin1'));
    await put('late-latin', Buffer.concat([Buffer.from('line\n'.repeat(4000)), Buffer.from([0xe9, 0x0a])]));
    await put('cut-character', Buffer.concat([Buffer.from('x'.repeat(20_000)), Buffer.from([0xe2, 0x82])]));
    await put('across-the-sniff', `${'x'.repeat(8191)}é${'y'.repeat(10)}`);
    expect(await read({ path: 'nul' })).toMatch(/^\[binary:base64\]\n/);
    expect(await read({ path: 'late-nul' })).toMatch(/^x/);
    expect(await read({ path: 'latin' })).toBe(
      `[binary:base64]\n${Buffer.from('caf\u00e9', 'latin1').toString('base64')}`,
    );
    expect(await read({ path: 'late-latin' })).toMatch(/^\[binary:base64\]\n/);
    expect(await read({ path: 'cut-character' })).toMatch(/^\[binary:base64\]\n/);
    expect(await read({ path: 'across-the-sniff' })).toContain('xéy');
    for (const path of ['nul', 'latin']) expect(await code({ path, start_line: 1 }), path).toBe('BadArgs');
    expect(await code({ path: 'late-latin', end_line: 4001 })).toBe('BadArgs');
    expect(await code({ path: 'cut-character', start_line: 1 })).toBe('BadArgs');
    expect(logged('nul')).toBeNull();
    expect(logged('late-latin')).toBeNull();
  });

  it('fit into any limit, whole or marked as cut', async () => {
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, index) => index % 256));
    await put('a.bin', bytes);
    for (const outputLimit of [0, 1, 16, 26, 27, 28, 30, 31, 100, 6683, 6684, 6685, 100_000]) {
      const result = await bench.call(readFileTool, { path: 'a.bin' }, { outputLimit });
      if (!result.ok) throw new Error(result.failure.message);
      const { content, allowTruncation, outputBytes, outputBytesLeftOut } = result.output;
      expect(allowTruncation).toBe(false);
      expect(content.length).toBeLessThanOrEqual(outputLimit);
      expect(outputBytes - outputBytesLeftOut).toBe(content.length);
      expect(content.startsWith('[binary:base64][truncated]\n')).toBe(outputLimit >= 27 && outputLimit < 6684);
    }
    expect(await read({ path: 'a.bin' })).toBe(`[binary:base64]\n${bytes.toString('base64')}`);
    // Never more than a model has room for, as that is counted, whatever the output may have.
    const cut = await read({ path: 'a.bin' }, { capacityBytes: 300, outputLimit: 10_000 });
    const [mark, base64 = ''] = cut.split('\n');
    expect(mark).toBe('[binary:base64][truncated]');
    expect(bytes.toString('base64').startsWith(base64)).toBe(true);
    expect(contextRoom(cut)).toBeLessThanOrEqual(300);
    expect(contextRoom(cut)).toBeGreaterThan(200);
  });
});

describe('archives of Electron', () => {
  it('are files like any other, not folders to walk into', async () => {
    // A whole archive, with one file in it: what node:fs in Electron would show as a folder.
    const header = Buffer.from(JSON.stringify({ files: { inner: { offset: '0', size: 6 } } }));
    const padded = Math.ceil(header.length / 4) * 4;
    const sizes = Buffer.alloc(16);
    for (const [index, size] of [4, 8 + padded, 4 + padded, header.length].entries())
      sizes.writeUInt32LE(size, index * 4);
    const archive = Buffer.concat([sizes, header, Buffer.alloc(padded - header.length), Buffer.from('SECRET')]);
    await bench.call(writeFileTool, { path: 'fake.asar', content: 'not an archive' });
    await unpatchedFsPromises.writeFile(join(bench.root, 'real.asar'), archive);
    expect(await read({ path: 'fake.asar' })).toBe('not an archive');
    expect(await read({ path: 'real.asar' })).toBe(`[binary:base64]\n${archive.toString('base64')}`);
    expect(await code({ path: 'real.asar/inner' })).toBe('ExecutionFailed');
    expect(await bench.content(listDirectoryTool, { path: '.', recursive: true, include_dirs: false })).not.toContain(
      'inner',
    );
  });
});

describe('read_file ends', () => {
  it('when its call is aborted', async () => {
    await put('a.txt', 'x');
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    await expect(bench.call(readFileTool, { path: 'a.txt' }, { signal: stop.signal })).rejects.toThrow('stopped');
  });

  it('with a plain word for what is missing or no file', async () => {
    expect(await code({ path: 'none' })).toBe('ExecutionFailed');
    expect(await code({ path: '.' })).toBe('ExecutionFailed');
    expect(await code({ path: '../x' })).toBe('PathOutsideSandbox');
    expect(await code({ path: 'x.pem' })).toBe('DeniedPatternMatched');
    expect(await code({ path: '  ' })).toBe('BadArgs');
  });
});
