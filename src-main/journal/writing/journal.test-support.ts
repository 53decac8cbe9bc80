import { createSealer } from '../../keys/sealing.js';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock, testSigner } from './journal-samples.test-support.js';
import { WorkerJournalReader } from '../reading/journal-reader.js';
import { type JournalOptions, openJournal } from '../opening/open-journal.js';
import { createReaderService, type ReaderService } from '../reading/reader-service.js';
import { judgeChain, listCheckedSeqs, type AuditEvidence } from '../audit/judge-chain.js';
import type { HeadSigner } from '../audit/head-signing.js';
import type { ExternalHeadState } from '../audit/external-head.js';
import { readSignedHead } from '../audit/signed-head.js';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import type { SqliteJournal } from './sqlite-journal.js';

export const READER_ENTRY = new URL('../reading/reader-worker.test-support.ts', import.meta.url);

/** A data folder that is gone after the test. */
export function testFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-journal-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function openTestJournal(dataDir: string, options: Partial<JournalOptions> = {}): SqliteJournal {
  return openJournal({
    dataDir,
    sealer: createSealer(Buffer.alloc(32, 7)),
    clock: systemClock,
    signer: testSigner,
    onSideError: (error) => {
      throw error;
    },
    ...options,
  });
}

const NOTHING_KEPT: ExternalHeadState = { is: 'unknown', why: '' };

export function openTestReader(
  dataDir: string,
  signer: HeadSigner = testSigner,
  kept: () => Promise<ExternalHeadState> = async () => NOTHING_KEPT,
  beforeSearch: () => void = () => undefined,
): WorkerJournalReader {
  const sealer = createSealer(Buffer.alloc(32, 7));
  return new WorkerJournalReader({
    dataDir,
    entry: READER_ENTRY,
    clock: systemClock,
    signer,
    sealer,
    kept,
    beforeSearch,
  });
}

/** The same reading without its thread, for tests that open hundreds of journals. */
export function openServiceReader(dataDir: string): {
  readonly verify: () => Promise<AuditVerdict>;
  readonly service: ReaderService;
} {
  const service = createReaderService(dataDir);
  return {
    service,
    verify: async () => {
      const proofs: AuditEvidence = {
        signer: testSigner,
        kept: NOTHING_KEPT,
        head: readSignedHead(dataDir, testSigner),
      };
      return judgeChain(await service.checkChain(listCheckedSeqs(proofs)), proofs);
    },
  };
}
