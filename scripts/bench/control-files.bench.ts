import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlScanner } from '../../src-main/workspace/watching/control/control-scanner.js';
import { type Compare, timed } from './harness.js';

const FOLDERS = 2000;
const FILES_IN_EACH = 25;

/** The look for control files after a command, in a workspace of 50,000 files with some of them control files. */
export async function run(compare: Compare): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-bench-')));
  try {
    for (let at = 0; at < FOLDERS; at += 1) {
      const folder = join(root, `pkg-${at % 40}`, `src-${at % 400}`, `part-${at}`);
      mkdirSync(folder, { recursive: true });
      for (let file = 0; file < FILES_IN_EACH; file += 1) closeSync(openSync(join(folder, `file-${file}.ts`), 'w'));
    }
    for (let at = 0; at < 40; at += 1) {
      mkdirSync(join(root, `pkg-${at}`, '.vscode'));
      writeFileSync(join(root, `pkg-${at}`, '.vscode', 'tasks.json'), '{}');
    }
    for (const folder of ['.git/hooks', '.git/objects', '.git/refs'])
      mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(root, '.git/config'), '[core]\n\thooksPath = .githooks\n');
    const looker = new ControlScanner(root, { hidden: [], home: null });
    let fresh = 0;
    const look = async (): Promise<void> => {
      // As after a command that made a file somewhere: one folder is not what it was.
      writeFileSync(join(root, `pkg-${fresh % 40}`, `made-${fresh}`), '');
      fresh += 1;
      const { found, complete } = await looker.scan();
      if (!complete || found.size !== 41) throw new Error(`the look found ${found.size}`);
    };
    // Names listed within a tick of the clock of the file system are not kept.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await compare({
      name: `Look for control files among ${(FOLDERS * FILES_IN_EACH).toLocaleString('en')} files, warm`,
      unit: 'ms',
      subject: { name: 'control files', sample: () => timed(look) },
      peer: { name: 'bare readdir walk', sample: () => timed(() => bareWalk(root)) },
      warmUp: 3,
      samples: 20,
      goal: { atMost: 1 },
    });
    await compare({
      name: `The first look for control files among ${(FOLDERS * FILES_IN_EACH).toLocaleString('en')} files`,
      unit: 'ms',
      subject: {
        name: 'control files',
        sample: () => timed(() => new ControlScanner(root, { hidden: [], home: null }).scan()),
      },
      peer: { name: 'bare readdir walk', sample: () => timed(() => bareWalk(root)) },
      warmUp: 1,
      samples: 10,
      goal: { atMost: 4 },
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function bareWalk(folder: string): number {
  let files = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) files += bareWalk(`${folder}/${entry.name}`);
    else files += 1;
  }
  return files;
}
