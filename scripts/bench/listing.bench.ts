import { closeSync, mkdirSync, openSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PathJail } from '../../src-main/workspace/sandbox/path-jail.js';
import { traverse } from '../../src-main/tools/builtin/list-directory/traverse.js';
import { ListingText } from '../../src-main/tools/builtin/list-directory/listing-text.js';
import { type Compare, timed } from './harness.js';

const SETTINGS = { allowed_roots: ['.'], denied_patterns: [], allow_absolute: false, include_default_denies: true };
const ENTRIES = 100_000;
const CAP = 200;

export async function run(compare: Compare): Promise<void> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-bench-')));
  try {
    const folder = join(base, 'many');
    mkdirSync(folder);
    // In no order: a multiplier that shares no factor with their number visits each once.
    for (let made = 0; made < ENTRIES; made += 1) {
      closeSync(openSync(join(folder, `file-${(made * 7919) % ENTRIES}.txt`), 'w'));
    }
    const jail = await PathJail.create(base, SETTINGS);
    const list = async () => {
      const path = await jail.validate('many');
      const text = new ListingText('many', CAP, 102_400);
      await using directory = await jail.openDirectory(path);
      const entries = traverse(directory, {
        wanted: { depth: 1, hidden: false, kinds: new Set(['file', 'dir', 'symlink']) },
        signal: new AbortController().signal,
        ahead: 256,
        isDenied: (below) => jail.isDenied(`many/${below}`, path.root),
      });
      for await (const entry of entries) {
        text.add(entry);
        if (text.full) break;
      }
      if (text.finish().result.returned !== CAP) throw new Error('the listing is not what it should be');
    };
    await compare({
      name: `List a folder of ${ENTRIES.toLocaleString('en')} entries, ${CAP} shown`,
      unit: 'ms',
      subject: { name: 'list_directory', sample: () => timed(list) },
      peer: { name: 'bare readdir', sample: () => timed(() => readdir(folder)) },
      warmUp: 3,
      samples: 20,
      goal: { atMost: 2 },
    });
    await compare({
      name: 'Memory alive during that listing, against all the names',
      unit: 'MB',
      subject: { name: 'list_directory', sample: () => heldBy(list) },
      peer: { name: 'bare readdir', sample: () => heldBy(() => readdir(folder)) },
      warmUp: 1,
      samples: 10,
      goal: { atMost: 1 },
    });
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

/** The most that was alive at once while `work` ran, as the collector finds it again and again, in MB. */
async function heldBy(work: () => Promise<unknown>): Promise<number> {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('Needs --expose-gc.');
  const alive = () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = alive();
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, alive() - before)), 5);
  const result = await work();
  clearInterval(watch);
  most = Math.max(most, alive() - before);
  // Kept until here, as a caller would keep it.
  if (result === null) throw new Error('unreachable');
  return most / 2 ** 20;
}
