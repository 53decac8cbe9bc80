import { testSealing } from '../../src-main/workspace/images/sealing.test-support.js';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src-main/platform/clock.js';
import { PathJail } from '../../src-main/workspace/sandbox/path-jail.js';
import {
  createTransactionDeps,
  createWorkspaceTransactions,
} from '../../src-main/workspace/transaction/workspace-transactions.js';
import type { Compare } from './harness.js';

const EDITS = 1000;
const SANDBOX = { allowed_roots: ['.'], denied_patterns: [], allow_absolute: false, include_default_denies: true };

/** What undo keeps of 1,000 one-line edits of a 1 MB file, against the files it can bring back. */
export async function run(compare: Compare): Promise<void> {
  const kept = await keptMegabytes();
  await compare({
    name: `Kept for undo after ${EDITS} one-line edits of a 1 MB file`,
    unit: 'MB',
    subject: { name: 'images and records', sample: () => kept.kept },
    peer: { name: 'the files themselves', sample: () => kept.files },
    warmUp: 0,
    samples: 1,
    goal: { atMost: 0.05 },
  });
}

async function keptMegabytes(): Promise<{ readonly kept: number; readonly files: number }> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'undo-bench-')));
  try {
    const workspace = join(base, 'workspace');
    mkdirSync(workspace);
    const lines = Array.from({ length: 14_000 }, (_, line) => wordsOf(line));
    writeFileSync(join(workspace, 'big.txt'), lines.join('\n'));
    const jail = await PathJail.create(workspace, SANDBOX);
    const parts = createTransactionDeps({
      sealing: testSealing(),
      dataDir: join(base, 'data'),
      clock: systemClock,
      imageQuotaBytes: () => 2 ** 31,
      onProblem: (problem) => {
        throw new Error(problem);
      },
      durable: false,
    });
    const transactions = createWorkspaceTransactions(parts);
    let before = Buffer.from(lines.join('\n'));
    let bytes = before.byteLength;
    for (let edit = 0; edit < EDITS; edit += 1) {
      lines[(edit * 7919) % lines.length] = `edited: ${wordsOf(edit + 1_000_000)}`;
      const content = Buffer.from(lines.join('\n'));
      const transaction = transactions.begin(`call-${edit}`);
      const expected = createHash('sha256').update(before).digest('hex');
      await transaction.stageWrite({ path: await jail.validate('big.txt'), content, expected });
      await transaction.commit();
      await transaction.settle();
      before = content;
      bytes += content.byteLength;
    }
    return { kept: sizeOf(join(base, 'data')) / 2 ** 20, files: bytes / 2 ** 20 };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** A line of about 75 characters that differs from every other. */
const wordsOf = (seed: number) =>
  createHash('sha256')
    .update(String(seed))
    .digest('hex')
    .match(/.{1,9}/g)
    ?.join(' ') ?? '';

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
