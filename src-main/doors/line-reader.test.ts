import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readLines } from './line-reader.js';

async function linesOf(chunks: readonly string[], maxBytes = 10): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of readLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk, 'latin1'))), maxBytes))
    lines.push(line.kind === 'line' ? line.bytes.toString('utf8') : '(too long)');
  return lines;
}

describe('lines of a stream', () => {
  it('are found wherever chunks begin and end', async () => {
    expect(await linesOf(['a\nb', 'c\n', '\n', 'd'])).toEqual(['a', 'bc', '', 'd']);
    expect(await linesOf([])).toEqual([]);
  });

  it('keep characters whole that two chunks share', async () => {
    const bytes = Buffer.from('é\n').toString('latin1');
    expect(await linesOf([bytes.slice(0, 1), bytes.slice(1)])).toEqual(['é']);
  });

  it('count once when they are too long, and let the next one through', async () => {
    expect(await linesOf(['x'.repeat(10), '\n', 'x'.repeat(11), '\nok\n'])).toEqual([
      'x'.repeat(10),
      '(too long)',
      'ok',
    ]);
    expect(await linesOf(Array.from({ length: 1000 }, () => 'x'.repeat(100)))).toEqual(['(too long)']);
  });

  it('hold no more than their limit of 500 MB of one line', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    async function* endless(): AsyncGenerator<Buffer> {
      for (let sent = 0; sent < 500; sent += 1) yield chunk;
      yield Buffer.from('\nnext\n');
    }
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const kinds: string[] = [];
    for await (const line of readLines(Readable.from(endless()), 4 * chunk.length)) {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      kinds.push(line.kind);
    }
    expect(kinds).toEqual(['too-long', 'line']);
    expect(most).toBeLessThan(50 * chunk.length);
  });
});
