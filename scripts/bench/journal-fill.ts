import { createSealer } from '../../src-main/keys/sealing.js';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WorkerJournalReader } from '../../src-main/journal/reading/journal-reader.js';
import {
  batchReceived,
  settled,
  started,
  systemClock,
  testSigner,
} from '../../src-main/journal/writing/journal-samples.test-support.js';
import { openJournal } from '../../src-main/journal/opening/open-journal.js';
import type { SqliteJournal } from '../../src-main/journal/writing/sqlite-journal.js';

const DATA = join(process.cwd(), 'artifacts', 'bench-data');
const TOOLS = ['read_file', 'list_directory', 'apply_patch', 'write_file', 'run_command'] as const;
const AT_ONCE = 500;

export function openBenchJournal(dataDir: string): SqliteJournal {
  return openJournal({
    dataDir,
    sealer: createSealer(null),
    clock: systemClock,
    signer: testSigner,
    onSideError: (error) => {
      throw error;
    },
  });
}

export function openBenchReader(dataDir: string): WorkerJournalReader {
  const entry = new URL('out/main/journal-reader.js', pathToFileURL(`${process.cwd()}/`));
  const kept = async () => ({ is: 'unknown', why: '' }) as const;
  const beforeSearch = (): void => undefined;
  const parts = { dataDir, entry, clock: systemClock, kept, beforeSearch };
  return new WorkerJournalReader({ ...parts, signer: testSigner, sealer: createSealer(null) });
}

export function emptyFolder(name: string): string {
  const folder = join(DATA, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A closed journal with so many settled calls, made once and kept: a million take minutes. Each has a few words that others have too. */
export function filledJournal(calls: number): string {
  const folder = join(DATA, `journal-${calls}`);
  if (existsSync(folder)) return folder;
  const partial = emptyFolder(`journal-${calls}.part`);
  const journal = openBenchJournal(partial);
  for (let from = 0; from < calls; from += AT_ONCE) {
    const batchId = `b${from}`;
    const numbers = Array.from({ length: Math.min(AT_ONCE, calls - from) }, (_, n) => from + n);
    journal.append([batchReceived(batchId), ...numbers.flatMap((n) => filler(n, batchId))]);
    journal.append([{ type: 'batch-closed', batchId }]);
  }
  journal.close();
  renameSync(partial, folder);
  return folder;
}

function filler(n: number, batchId: string) {
  const path = `src/part-${n % 977}/file-${n % 10_007}.ts`;
  const content = `line ${n} of ${path}: word${n % 1009} rare${n % 100_003} common text that every result has`;
  const call = { callId: `fill-${n}`, batchId, tool: TOOLS[n % TOOLS.length] ?? 'read_file', arguments: { path } };
  return [...started({ ...call, index: n % AT_ONCE, summary: `Read ${path}` }), settled(call.callId, { content })];
}
