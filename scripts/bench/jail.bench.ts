import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PathJail } from '../../src-main/workspace/sandbox/path-jail.js';
import { type Compare, timed } from './harness.js';

const SETTINGS = { allowed_roots: ['.'], denied_patterns: [], allow_absolute: false, include_default_denies: true };
/** One sample is so many in a row: a single one is too short to time well. */
const AT_ONCE = 100;

export async function run(compare: Compare): Promise<void> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-bench-')));
  try {
    await mkdir(join(base, 'src/domain'), { recursive: true });
    for (const path of ['top.txt', 'src/domain/deep.txt']) await writeFile(join(base, path), 'x'.repeat(1024));
    const jail = await PathJail.create(base, SETTINGS);
    const jailed = (path: string) => async () => {
      await using file = await jail.openFile(await jail.validate(path));
      const buffer = Buffer.allocUnsafe(file.facts.size);
      await file.read(buffer, 0);
    };
    const each = (work: () => Promise<unknown>) => async () => {
      const ms = await timed(async () => {
        for (let done = 0; done < AT_ONCE; done += 1) await work();
      });
      return (ms / AT_ONCE) * 1000;
    };
    for (const [where, path] of [
      ['in the root', 'top.txt'],
      ['two folders down', 'src/domain/deep.txt'],
    ] as const) {
      await compare({
        name: `Read 1 KB ${where}: validate, open, read`,
        unit: 'µs',
        subject: { name: 'path jail', sample: each(jailed(path)) },
        peer: { name: 'fs.promises.readFile', sample: each(() => readFile(join(base, path))) },
        warmUp: 5,
        samples: 40,
        goal: { atMost: 3 },
      });
    }
    await compare({
      name: 'Validate an existing path (one each; p95 and samples tell the tail)',
      unit: 'µs',
      subject: {
        name: 'validate',
        sample: async () => (await timed(() => jail.validate('src/domain/deep.txt'))) * 1000,
      },
      peer: {
        name: 'fs.promises.realpath',
        sample: async () => (await timed(() => realpath(join(base, 'src/domain/deep.txt')))) * 1000,
      },
      warmUp: 50,
      samples: 1000,
    });
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}
