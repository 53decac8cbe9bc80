import { testSealing } from '../../src-main/workspace/images/sealing.test-support.js';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadLog, ReadRecord } from '../../src-main/domain/ports/workspace/read-log.js';
import type { ToolContext } from '../../src-main/domain/tool/tool.js';
import { systemClock } from '../../src-main/platform/clock.js';
import { PathJail } from '../../src-main/workspace/sandbox/path-jail.js';
import { applyPatchTool } from '../../src-main/tools/builtin/apply-patch/handler.js';
import type { PatchPlan } from '../../src-main/tools/builtin/apply-patch/plan.js';
import {
  createTransactionDeps,
  createWorkspaceTransactions,
} from '../../src-main/workspace/transaction/workspace-transactions.js';
import { type Compare, timed } from './harness.js';

const FILES = 200;
const LINES = 60;
const SANDBOX = { allowed_roots: ['.'], denied_patterns: [], allow_absolute: false, include_default_denies: true };

const nameOf = (file: number) => `src/part${file % 10}/file${file}.ts`;
const contentOf = (file: number, value: number) =>
  Array.from({ length: LINES }, (_, line) =>
    line === 30 ? `const value = ${value};` : `export const x${file}_${line} = ${line * file};`,
  ).join('\n') + '\n';

/** 200 one-line edits in 200 files, by both ways; every sample changes them all to something new. */
export async function run(compare: Compare): Promise<void> {
  for (const durable of [false, true]) {
    const base = realpathSync(mkdtempSync(join(durable ? tmpdir() : inMemory(), 'patch-bench-')));
    try {
      await compare({
        name: `200 one-line edits in 200 files, ${durable ? 'all of it on the disk (fsync)' : 'without waiting for the disk'}`,
        unit: 'ms',
        subject: { name: 'apply_patch, with undo', sample: await ours(join(base, 'ours'), durable) },
        peer: {
          name: durable ? 'git apply, then fsync' : 'git apply',
          sample: theirs(join(base, 'git'), durable),
        },
        warmUp: 4,
        samples: durable ? 12 : 30,
        goal: { atMost: 3 },
      });
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  }
}

/**
 * On a disk, what is put in a file's place is written out at once though nobody asked for it (ext4 does so), and what one
 * sample left to be written is paid for by the next: only in memory is nothing waited for.
 */
function inMemory(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

function makeFiles(folder: string): void {
  for (let file = 0; file < FILES; file += 1) {
    const path = join(folder, nameOf(file));
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, contentOf(file, 0));
  }
}

async function ours(folder: string, durable: boolean): Promise<() => Promise<number>> {
  const workspace = join(folder, 'workspace');
  makeFiles(workspace);
  const jail = await PathJail.create(workspace, SANDBOX);
  const parts = createTransactionDeps({
    sealing: testSealing(),
    dataDir: join(folder, 'data'),
    clock: systemClock,
    imageQuotaBytes: () => 2 ** 31,
    onProblem: (problem) => {
      throw new Error(problem);
    },
    durable,
  });
  const transactions = createWorkspaceTransactions(parts);
  const readLog = memoryReadLog();
  const config = { tools: { apply_patch: { max_patch_bytes: 524_288 } } };
  for (let file = 0; file < FILES; file += 1) {
    readLog.record(join(workspace, nameOf(file)), createHash('sha256').update(contentOf(file, 0)).digest('hex'));
  }
  let calls = 0;
  return async () => {
    const from = calls;
    calls += 1;
    const sections = Array.from({ length: FILES }, (_, file) =>
      [`F ${nameOf(file)}`, 'R', `const value = ${from};`, '.', `const value = ${calls};`, '.'].join('\n'),
    );
    const patch = ['LP1', ...sections, 'END', ''].join('\n');
    return timed(async () => {
      const transaction = transactions.begin(`call-${calls}`);
      const context = { sandbox: jail, config, readLog, transaction, signal: new AbortController().signal };
      const args = applyPatchTool.parse({ patch });
      const given = context as unknown as ToolContext<'files'>;
      const plan = (await applyPatchTool.understand?.(args, given, null)) as PatchPlan;
      await applyPatchTool.preflight(args, given, plan);
      await applyPatchTool.execute(args, given, plan);
      const files = await transaction.commit();
      if (files.length !== FILES) throw new Error(`${files.length} files were changed`);
      await transaction.settle();
    });
  };
}

function theirs(folder: string, durable: boolean): () => Promise<number> {
  makeFiles(folder);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '-q');
  let calls = 0;
  return async () => {
    const from = calls;
    calls += 1;
    const patch = Array.from({ length: FILES }, (_, file) => {
      const before = contentOf(file, from).split('\n');
      const context = (first: number, last: number) => before.slice(first, last).map((line) => ` ${line}`);
      const change = [`-const value = ${from};`, `+const value = ${calls};`];
      const hunk = ['@@ -28,7 +28,7 @@', ...context(27, 30), ...change, ...context(31, 34)];
      return [`--- a/${nameOf(file)}`, `+++ b/${nameOf(file)}`, ...hunk, ''].join('\n');
    });
    writeFileSync(join(folder, 'edits.patch'), patch.join(''));
    return timed(async () => {
      git('apply', 'edits.patch');
      if (durable) await Promise.all(Array.from({ length: FILES }, (_, file) => sync(join(folder, nameOf(file)))));
    });
  };
}

async function sync(path: string): Promise<void> {
  await using file = await open(path);
  await file.sync();
}

function memoryReadLog(): ReadLog {
  const records = new Map<string, ReadRecord>();
  return {
    record: (path, sha256) => records.set(path, { path, sha256, readAt: 0 }),
    lookup: (path) => records.get(path) ?? null,
  };
}
