import { mkdtempSync, readdirSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { listWorkspace } from '../../src-main/workspace/watching/workspace-list.js';
import { SNAPSHOT_BOUNDS, WorkspaceSnapshot } from '../../src-main/workspace/watching/snapshot/workspace-snapshot.js';
import { type Compare, timed } from './harness.js';

const FOLDERS = 500;
const FILES = 20;

/** What it costs to know what a command changed in a workspace of 10,000 files, and to be able to take it back. */
export async function run(compare: Compare): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), 'gatehouse-bench-undo-'));
  const root = join(base, 'workspace');
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    mkdirSync(join(root, `part${folder % 20}/folder${folder}`), { recursive: true });
    for (let file = 0; file < FILES; file += 1) {
      writeFileSync(join(root, `part${folder % 20}/folder${folder}/file${file}.ts`), `${file}`.repeat(1000));
    }
  }
  const place = { root, isDenied: () => false };
  const say = (message: string): never => {
    throw new Error(message);
  };
  const open = () =>
    new WorkspaceSnapshot({ folder: join(base, 'copies'), hidden: [], keeps: async () => true, log: say });
  const bounds = { ...SNAPSHOT_BOUNDS.list };

  const ready = open();
  await ready.prepare(place, false);
  await compare({
    name: 'Before a command starts: what is there, and which copies are true',
    unit: 'ms',
    samples: 15,
    subject: {
      name: 'from open folders, no link followed',
      sample: () =>
        timed(async () => {
          await using held = await ready.hold(place, await listWorkspace(root, bounds));
          void held;
        }),
    },
    peer: { name: 'by path, without copies', sample: () => timed(() => byPath(root)) },
    goal: { atMost: 3 },
  });
  await ready.close();

  await compare({
    name: 'Delay of the main thread while 10,000 files are copied (p99)',
    unit: 'ms',
    samples: 3,
    warmUp: 1,
    subject: {
      name: 'delay',
      sample: async () => {
        const snapshot = open();
        const delay = monitorEventLoopDelay({ resolution: 5 });
        delay.enable();
        await snapshot.prepare(place, false);
        delay.disable();
        await snapshot.close();
        return delay.percentile(99) / 1e6;
      },
    },
    peer: { name: 'what is allowed', sample: () => 50 },
    goal: { atMost: 1 },
  });
  rmSync(base, { recursive: true, force: true });
}

/** The quickest way there is, for a workspace that nobody changes meanwhile. */
function byPath(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (lstatSync(path).isDirectory()) byPath(path);
  }
}
