import type { CallDetail } from '#contract/vocabulary/calls.js';
import type { CommandUndo } from '../domain/ports/command-undo.js';
import type { Config } from '#contract/vocabulary/config.js';
import { JournalUnavailableError } from '../domain/ports/journal.js';
import type { Sealer } from '../domain/ports/sealing.js';
import type { Clock } from '../domain/ports/clock.js';
import type { OutputStore } from '../domain/ports/output-store.js';
import type { UndoStore } from '../domain/ports/undo-store.js';
import type { WorkspaceTransactions } from '../domain/ports/transaction.js';
import type { AsideStore } from '../domain/ports/put-aside.js';
import { sanitize } from '../domain/text/sanitize.js';
import { WorkerJournalReader } from '../journal/reading/journal-reader.js';
import { openJournal, type OutsideStore } from '../journal/opening/open-journal.js';
import { FileOutputStore } from '../journal/outputs/output-store.js';
import { BadCursorError } from '../journal/reading/queries/page.js';
import type { HeadSigner } from '../journal/audit/head-signing.js';
import type { SqliteJournal } from '../journal/writing/sqlite-journal.js';
import type { RecordServices } from '../window/border/record-handlers.js';
import type { Logger } from '../platform/logger.js';
import { createAsideStore } from '../workspace/aside/aside-store.js';
import type { ImageSealing } from '../workspace/images/image-sealing.js';
import { createCommandUndo } from '../workspace/undo/keep-command.js';
import { createUndoStore } from '../workspace/undo/undo-store.js';
import {
  createTransactionParts,
  createWorkspaceTransactions,
} from '../workspace/transaction/workspace-transactions.js';

export interface RecordOptions {
  readonly dataDir: string;
  readonly readerEntry: URL;
  readonly clock: Clock;
  readonly signer: HeadSigner;
  readonly sealer: Sealer;
  readonly imageSealing: ImageSealing;
  readonly outside: OutsideStore;
  readonly logger: Logger;
  readonly config: () => Config;
  /** Something of the person's files that they should know. */
  readonly onProblem: (title: string, text: string) => void;
}

/** What is kept: the journal and its reader, stored outputs, what can be undone. */
export interface Record {
  readonly journal: SqliteJournal;
  readonly reader: WorkerJournalReader;
  readonly outputs: OutputStore;
  readonly transactions: WorkspaceTransactions;
  readonly undo: UndoStore;
  readonly commandUndo: CommandUndo;
  readonly aside: AsideStore;
  readonly services: Omit<RecordServices, 'exportHistory'>;
  /** What a command had said when it was interrupted: the last of it. */
  readonly partialOutput: (callId: string) => Promise<string | null>;
  /** After the window is up: looks for damage after a crash, and keeps within the retention settings. */
  readonly startUpkeep: () => void;
  readonly close: () => Promise<void>;
}

const PARTIAL_LINES = 200;
const UPKEEP_FIRST_MS = 30_000;
const UPKEEP_EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const ERASED_AT_ONCE = 50;

export function openRecord(options: RecordOptions): Record {
  const { dataDir, clock, signer, logger, config, onProblem } = options;
  const journal = openJournal({
    dataDir,
    clock,
    signer,
    sealer: options.sealer,
    outside: options.outside,
    keepDays: () => config().journal.keep_days,
    onSideError: (error) => logger.error('Beside the journal', { error }),
  });
  if (journal.movedAside !== null) {
    onProblem(
      'The journal was damaged',
      `It is kept, whole, in ${journal.movedAside.folder}. A new journal was begun; what was in progress then is not known to it.`,
    );
  }
  const reader = new WorkerJournalReader({
    dataDir,
    entry: options.readerEntry,
    clock,
    signer,
    kept: () => journal.keptOutside(),
  });
  const parts = createTransactionParts({
    dataDir,
    clock,
    sealing: options.imageSealing,
    imageQuotaBytes: () => config().journal.image_quota_bytes,
    onProblem: (problem) => {
      logger.warn('A workspace transaction needs a look', { problem });
      onProblem('A file was left as it is', problem);
    },
  });
  const undo = createUndoStore(parts);
  const timers: NodeJS.Timeout[] = [];

  const upkeep = async (): Promise<void> => {
    const before = clock.now() - config().journal.keep_days * DAY_MS;
    try {
      await reader.pruneOutputs(config().journal.output_quota_bytes, before);
      await undo.prune(before);
      // In small steps, so that the window is not kept waiting.
      for (let next = journal.erase(before, ERASED_AT_ONCE).next; next !== null;) {
        await new Promise((resolve) => setImmediate(resolve));
        next = journal.erase(before, ERASED_AT_ONCE, next).next;
      }
    } catch (error) {
      if (!(error instanceof JournalUnavailableError)) logger.error('Upkeep failed', { error });
    }
  };

  return {
    journal,
    reader,
    outputs: new FileOutputStore(dataDir),
    transactions: createWorkspaceTransactions(parts),
    undo,
    commandUndo: createCommandUndo(parts),
    aside: createAsideStore(parts),
    services: {
      page: async (query) => {
        try {
          return await reader.page(query);
        } catch (error) {
          if (error instanceof BadCursorError) return null;
          throw error;
        }
      },
      detail: async (callId) => withWhatIsKept(await reader.detail(callId), undo),
      outputWindow: async (callId, stream, fromLine, lines) => {
        const window = await reader.outputWindow({ callId, stream }, fromLine, lines);
        return window === null ? null : { ...window, text: sanitize(window.text).text };
      },
      searchOutput: (callId, stream, query, fromLine) => reader.searchOutput({ callId, stream }, query, fromLine),
      verify: () => reader.verify(),
      accept: async () => {
        const found = await reader.verify();
        if (found.ok) return { verdict: found };
        if (found.acceptable !== true) return { problem: 'This history contradicts itself: that can’t be accepted.' };
        try {
          await journal.accept(found.reason);
        } catch (error) {
          return { problem: error instanceof Error ? error.message : String(error) };
        }
        return { verdict: await reader.verify() };
      },
      telemetry: (hours) => reader.telemetry(hours),
    },
    partialOutput: async (callId) => {
      const ends = await Promise.all(
        (['stdout', 'stderr'] as const).map((stream) => lastLines(reader, callId, stream)),
      );
      const text = ends.filter((end) => end !== '').join('\n');
      return text === '' ? null : sanitize(text).text;
    },
    startUpkeep: () => {
      if (journal.startedAfterCrash) {
        void reader.checkIntegrity().then(
          (damage) => {
            if (damage !== null) journal.declareDamaged(damage);
          },
          (error: unknown) => logger.error('The journal could not be checked', { error }),
        );
      }
      timers.push(
        setTimeout(() => void upkeep(), UPKEEP_FIRST_MS).unref(),
        setInterval(() => void upkeep(), UPKEEP_EVERY_MS).unref(),
      );
    },
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      await reader.close();
      journal.close();
      await journal.toldOutside;
    },
  };
}

async function lastLines(reader: WorkerJournalReader, callId: string, stream: 'stdout' | 'stderr'): Promise<string> {
  const first = await reader.outputWindow({ callId, stream }, 0, PARTIAL_LINES);
  if (first === null || first.totalLines === null || first.totalLines <= PARTIAL_LINES) return first?.text ?? '';
  const last = await reader.outputWindow({ callId, stream }, first.totalLines - PARTIAL_LINES, PARTIAL_LINES);
  return last?.text ?? '';
}

/** Images may have gone since the call was recorded: what can be undone now is what is still kept. */
async function withWhatIsKept(detail: CallDetail | null, undo: UndoStore): Promise<CallDetail | null> {
  if (detail === null || detail.changedFiles.length === 0) return detail;
  const kept = new Map((await undo.changedFiles(detail.callId))?.map((file) => [file.path, file]));
  const changedFiles = detail.changedFiles.map((file) =>
    file.undoable
      ? (kept.get(file.path) ?? { ...file, undoable: false, note: 'What it was before is no longer kept.' })
      : file,
  );
  return { ...detail, changedFiles };
}
