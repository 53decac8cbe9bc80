import { mkdir, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyPatchTool } from './apply-patch/handler.js';
import { FileToolBench } from './file-tool.test-support.js';
import { listDirectoryTool } from './list-directory/handler.js';
import { readFileTool } from './read-file/handler.js';
import { treeOf } from './scenario-runner.test-support.js';
import { Swapper, type SwapSite, swapSite } from './swapper.test-support.js';
import { writeFileTool } from './write-file/handler.js';

/**
 * While an adversary swaps folders and files for links in a tight loop, every file tool works on them. Whatever each
 * call gives, nothing from outside may be in it, and nothing outside may change.
 */
let bench: FileToolBench;
let outside: string;
let sites: readonly SwapSite[];

beforeEach(async () => {
  bench = await FileToolBench.create();
  outside = join(bench.base, 'outside');
  // The same shape inside and out, so that a walk that strays finds what it looks for.
  for (const [place, content] of [
    [join(bench.root, 'a'), 'inside'],
    [outside, 'SECRET'],
  ] as const) {
    await mkdir(join(place, 'b/c'), { recursive: true });
    await writeFile(join(place, 'b/c/file'), `${content}\n`);
    await writeFile(join(place, `b/c/${content}-name`), content);
    // The very same outside: a patch that strays would find what it expects.
    await writeFile(join(place, 'b/c/same'), 'one\n');
  }
  const waiting = join(bench.base, 'waiting');
  await mkdir(waiting);
  sites = [
    swapSite(join(bench.root, 'a'), join(waiting, 'a')),
    swapSite(join(bench.root, 'a/b'), join(waiting, 'b')),
    swapSite(join(bench.root, 'a/b/c/file'), join(waiting, 'file')),
  ];
  const targets = [outside, join(outside, 'b'), join(outside, 'b/c/file')];
  for (const [index, site] of sites.entries()) await symlink(targets[index] ?? outside, site.link);
});
afterEach(() => bench[Symbol.asyncDispose]());

/** Runs `tries` calls, a few at a time; tells how often each ending came. */
async function race(tries: number, attempt: (index: number) => Promise<string>): Promise<Map<string, number>> {
  const endings = new Map<string, number>();
  let next = 0;
  const lane = async () => {
    while (next < tries) {
      const ending = await attempt((next += 1));
      endings.set(ending, (endings.get(ending) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  return endings;
}

const escapes = (endings: Map<string, number>): number => endings.get('ESCAPE') ?? 0;

describe('folders and files swapped for links while tools work on them', () => {
  it('the adversary is quick enough: reading a path that was merely checked escapes', async () => {
    const swapper = await Swapper.start(sites);
    let escaped = false;
    for (let tries = 0; tries < 200_000 && !escaped; tries += 1) {
      try {
        const { absolute } = await bench.jail.validate('a/b/c/file');
        escaped = (await readFile(absolute, 'utf8')).includes('SECRET');
      } catch {
        // Refused, or gone at that moment.
      }
    }
    await swapper.stop();
    expect(escaped).toBe(true);
  });

  it('no tool escapes in 50,000 tries', async () => {
    const before = await treeOf(outside);
    const swapper = await Swapper.start(sites);
    const judged = async (call: Promise<Awaited<ReturnType<FileToolBench['call']>>>): Promise<string> => {
      const result = await call;
      if (!result.ok) return result.failure.code;
      return JSON.stringify(result.output).includes('SECRET') ? 'ESCAPE' : 'ok';
    };
    const reads = await race(30_000, (index) =>
      judged(bench.call(readFileTool, { path: 'a/b/c/file', ...(index % 2 === 0 ? { start_line: 1 } : {}) })),
    );
    const lists = await race(15_000, (index) =>
      judged(bench.call(listDirectoryTool, index % 2 === 0 ? { path: 'a/b/c' } : { path: 'a', recursive: true })),
    );
    const writes = await race(3000, async (index) => {
      const ending = await judged(bench.call(writeFileTool, { path: `a/b/c/new-${index}`, content: 'x' }));
      // Kept small, so that each try costs the same.
      if (ending === 'ok') await unlink(join(bench.root, `a/b/c/new-${index}`)).catch(() => undefined);
      return ending;
    });
    const patches = await race(2000, async () => {
      const read = await bench.call(readFileTool, { path: 'a/b/c/same' });
      if (!read.ok) return read.failure.code;
      const [from, to] = read.output.content === 'one\n' ? ['one', 'two'] : ['two', 'one'];
      return judged(bench.call(applyPatchTool, { patch: `LP1\nF a/b/c/same\nR\n${from}\n.\n${to}\n.\nEND\n` }));
    });
    const swaps = await swapper.stop();
    for (const endings of [reads, lists, writes, patches]) {
      expect(escapes(endings)).toBe(0);
      // The race was a race: some went through, some met a link after the check.
      expect(endings.get('ok') ?? 0).toBeGreaterThan(0);
      expect(endings.get('PathOutsideSandbox') ?? 0).toBeGreaterThan(0);
    }
    expect(reads.get('SandboxViolation') ?? 0).toBeGreaterThan(0);
    expect(swaps).toBeGreaterThan(1000);
    // Our own unlink above goes by path, and may itself have strayed: names it removes are new ones, never these.
    expect(await treeOf(outside)).toEqual(before);
    await rm(join(bench.root, 'a'), { recursive: true, force: true });
  });
});
