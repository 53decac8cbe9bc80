import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Swapper, swapSite } from '../../tools/builtin/swapper.test-support.js';
import { AfterReader } from './after-reader.js';
import { listWorkspace } from './workspace-list.js';
import { SNAPSHOT_BOUNDS, WorkspaceSnapshot } from './snapshot/workspace-snapshot.js';

it('what a command’s leftovers swap for links while it is listed, copied and read leads nowhere', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-race-')));
  const root = join(base, 'workspace');
  const outside = join(base, 'outside');
  // The same shape inside and out, so that a walk that strays finds what it looks for.
  for (const [place, content] of [
    [join(root, 'a'), 'inside'],
    [outside, 'SECRET'],
  ] as const) {
    mkdirSync(join(place, 'b'), { recursive: true });
    writeFileSync(join(place, 'b/file'), content);
    writeFileSync(join(place, `b/${content}-name`), content);
  }
  mkdirSync(join(base, 'waiting'));
  const sites = ['a', 'a/b', 'a/b/file'].map((path, index) =>
    swapSite(join(root, path), join(base, 'waiting', String(index))),
  );
  const targets = [outside, join(outside, 'b'), join(outside, 'b/file')];
  for (const [index, site] of sites.entries()) symlinkSync(targets[index] ?? '', site.link);
  const bounds = { ...SNAPSHOT_BOUNDS, minFreeBytes: 0, catchUpMs: 10_000 };
  const log: string[] = [];
  const say = (message: string) => void log.push(message);
  const snapshot = new WorkspaceSnapshot({
    keeps: async () => true,
    folder: join(base, 'copies'),
    hidden: [],
    log: say,
    bounds,
  });
  const swapper = await Swapper.start(sites);
  onTestFinished(async () => {
    await snapshot.close();
    rmSync(base, { recursive: true, force: true });
  });
  const place = { root, isDenied: () => false };
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  const contentOf = (state: unknown): string => {
    if (typeof state === 'string') return state;
    const { content, target } = state as { content?: Buffer; target?: string };
    return content?.toString() ?? `link ${target ?? ''}`;
  };
  for (let round = 0; round < 3000; round += 1) {
    const list = await listWorkspace(root);
    await using held = await snapshot.hold(place, list);
    for (const [path, status] of list.files) {
      if (path.includes('SECRET')) count('ESCAPE');
      count(`copied ${contentOf(await held.before(path, status))}`);
      count(`read ${contentOf(await new AfterReader(root, () => false).read(path, status))}`);
    }
  }
  const swaps = await swapper.stop();
  const all = [...seen.keys()];
  expect(all.filter((what) => what.includes('ESCAPE') || what.endsWith(' SECRET'))).toEqual([]);
  // Both got through, and both were stopped: the race was on.
  expect(swaps).toBeGreaterThan(1000);
  expect(all).toContain('copied inside');
  expect(all).toContain('read inside');
  expect(all).toContain('copied not-yet');
  expect(all).toContain('read changed');
  expect(log).toEqual([]);
});
