import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app, clipboard, dialog } from 'electron';
import type { CallDetail } from '#contract/vocabulary/calls.js';
import type { OutputWindow } from '#contract/window/channels.js';
import type { Notice } from '#contract/window/notices.js';
import type { CommandUndo } from '../domain/ports/workspace/command-undo.js';
import type { JournalEvent } from '../domain/call/journal-events.js';
import { JournalUnavailableError } from '../domain/ports/journal.js';
import type { Sealer } from '../domain/ports/sealing.js';
import type { OutputStore } from '../domain/ports/output-store.js';
import type { UndoStore } from '../domain/ports/workspace/undo-store.js';
import type { WorkspaceTransactions } from '../domain/ports/workspace/transaction.js';
import type { QuarantineStore } from '../domain/ports/workspace/quarantine-store.js';
import type { ConversationRecord } from '../domain/ports/conversation/conversation-record.js';
import { endBrokenAnswers } from '../gate/recovery/end-broken-answers.js';
import type { CrashCleanups } from '../gate/recovery/crash-leftovers.js';
import { WorkerJournalReader } from '../journal/reading/journal-reader.js';
import { UnreleasedJournalError } from '../journal/opening/migrate.js';
import { type JournalOptions, openJournal } from '../journal/opening/open-journal.js';
import { keptChannels, keptParts, pictureOf } from './kept-parts.js';
import { KeptBlobs } from '../journal/outputs/kept-blobs.js';
import { FileOutputStore } from '../journal/outputs/output-store.js';
import type { OutputLocation } from '../journal/reading/reader-protocol.js';
import { BadCursorError } from '../journal/reading/queries/page.js';
import { OtlpSwitch } from '../journal/telemetry/otlp-switch.js';
import type { SqliteJournal } from '../journal/writing/sqlite-journal.js';
import { systemClock } from '../platform/clock.js';
import { createHeadSigner } from '../keys/head-signer.js';
import { createSealer, getSealingKey } from '../keys/sealing.js';
import { createSystemStore } from '../keys/system-store/system-store.js';
import { done, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import { createQuarantineStore } from '../workspace/quarantine/quarantine-store.js';
import { createCommandUndo } from '../workspace/undo/command-undo.js';
import { createUndoStore } from '../workspace/undo/undo-store.js';
import { createTransactionDeps, createWorkspaceTransactions } from '../workspace/transaction/workspace-transactions.js';
import type { Front } from './front.js';
import type { Shell } from './shell.js';
import { StartRefused } from './start/start-refused.js';
import { followHealth, showUnsettled } from './state/journal-in-window.js';

/** The stores: the journal and its reader, stored outputs, what can be undone. */
export interface Record {
  readonly journal: SqliteJournal;
  readonly reader: WorkerJournalReader;
  readonly conversations: ConversationRecord;
  readonly outputs: OutputStore;
  /** The stored parts of sources' results that are no text. */
  readonly blobs: KeptBlobs;
  readonly transactions: WorkspaceTransactions;
  readonly undo: UndoStore;
  readonly commandUndo: CommandUndo;
  readonly aside: QuarantineStore;
  readonly detail: (callId: string) => Promise<CallDetail | null>;
  /** Lines of what a call put out, safe to show. */
  readonly outputWindow: (place: OutputLocation, fromLine: number, lines: number) => Promise<OutputWindow | null>;
  /** Reads the last output of a command that was interrupted. */
  readonly partialOutput: (callId: string) => Promise<string | null>;
  readonly clearings: Pick<CrashCleanups, 'fileChanges' | 'answers'>;
  /**
   * Starts the upkeep, after the window is up: looks for damage after a crash, keeps within the retention settings,
   * sends metrics.
   */
  readonly startUpkeep: () => void;
  readonly close: () => Promise<void>;
}

const PARTIAL_LINES = 200;
const LINES_AT_ONCE = 5000;
/** The page offers no more than this (copy-all.tsx); more is better had from the export. */
const MOST_BYTES_COPIED = 4_000_000;
const UPKEEP_FIRST_MS = 30_000;
const UPKEEP_EVERY_MS = 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const ERASED_AT_ONCE = 50;

export function openRecord(shell: Shell, front: Front): Record {
  const { config, logger, paths } = shell;
  const sealer = createSealer(getSealingKey(shell.secrets));
  const journal = openShellsJournal(shell, front, sealer);
  const conversations = journal.conversations(shell.redactor);
  const reader = new WorkerJournalReader({
    dataDir: paths.root,
    entry: pathToFileURL(join(shell.built, 'journal-reader.js')),
    clock: systemClock,
    signer: createHeadSigner(shell.secrets),
    sealer,
    kept: () => journal.keptOutside(),
    beforeSearch: () => journal.readyForSearch(),
  });
  const parts = createTransactionDeps({
    dataDir: paths.root,
    clock: systemClock,
    sealing: {
      sealer,
      forThisRun: createSealer(randomBytes(32)),
      finds: (content) => shell.redactor.finds(content),
    },
    imageQuotaBytes: () => config.own.journal.image_quota_bytes,
    onProblem: (problem) => {
      logger.warn('A workspace transaction needs a look', { problem });
      front.problem('A file was left as it is', problem);
    },
  });
  const undo = createUndoStore(parts);
  const outputs = new FileOutputStore(paths.root, sealer);
  const blobs = new KeptBlobs({ outputs, sealer, finds: (content) => shell.redactor.finds(content) });
  shell.window.drawsPicturesOf(pictureOf(keptParts(reader, blobs)));
  const transactions = createWorkspaceTransactions(parts);
  const upkeep = upkeepOf(shell, journal, reader, undo);
  const metrics = metricsOf(shell, front, journal);
  return {
    journal,
    reader,
    conversations,
    outputs,
    blobs,
    transactions,
    undo,
    commandUndo: createCommandUndo(parts),
    aside: createQuarantineStore(parts),
    detail: async (callId) => withWhatIsKept(await reader.detail(callId), undo),
    outputWindow: (place, fromLine, lines) => reader.outputWindow(place, fromLine, lines),
    partialOutput: async (callId) => {
      const ends = await Promise.all(
        (['stdout', 'stderr'] as const).map((stream) => lastLines(reader, callId, stream)),
      );
      const text = ends.filter((end) => end !== '').join('\n');
      return text === '' ? null : text;
    },
    clearings: {
      fileChanges: async ({ wasAcknowledged }) => {
        await transactions.recover(wasAcknowledged);
      },
      answers: ({ found }) =>
        endBrokenAnswers(conversations.leftByCrash(), { journal, redactor: shell.redactor }, found),
    },
    startUpkeep: () => {
      upkeep.start();
      metrics.start();
    },
    close: async () => {
      await metrics.end();
      upkeep.stop();
      await reader.close();
      journal.close();
      await journal.toldOutside;
    },
  };
}

export const recordChannels = (shell: Shell, { journal, reader, blobs, detail, outputWindow }: Record) =>
  ({
    'calls.list': async ({ limit, before, ...filter }) => {
      try {
        return done(await reader.page({ limit, before: before ?? null, filter }));
      } catch (error) {
        if (!(error instanceof BadCursorError)) throw error;
        return refuse('bad-request', 'This list has changed. Open it again.');
      }
    },
    'activity.sessions': async (span) => done(await reader.sessions(span)),
    'calls.get': async ({ callId }) => {
      const found = await detail(callId);
      return found === null
        ? refuse('not-found', 'There is no such call. It may be older than what is kept.')
        : done(found);
    },
    'calls.reveal': async ({ callId }) => {
      const found = await journal.reveal(callId);
      return found === null
        ? refuse('not-found', 'There is no such call. It may be older than what is kept.')
        : done(found);
    },
    'calls.output': async ({ callId, fromLine, lines }) => {
      const output = await outputWindow({ callId, stream: 'both' }, fromLine, lines);
      return output === null ? noOutput : done(output);
    },
    ...keptChannels(shell, keptParts(reader, blobs)),
    'calls.copyOutput': async ({ callId }) => {
      const text = await wholeOutput(outputWindow, callId);
      if (text === null) return noOutput;
      clipboard.writeText(text);
      return done(null);
    },
    'calls.searchOutput': async ({ callId, query, fromLine }) => {
      const matches = await reader.searchOutput({ callId, stream: 'both' }, query, fromLine);
      return matches === null ? noOutput : done(matches);
    },
    'audit.verify': async () => done(await reader.verify()),
    'audit.accept': async () => {
      const found = await reader.verify();
      if (found.ok) return done(found);
      if (found.acceptable !== true)
        return refuse('unavailable', 'This history contradicts itself: that can’t be accepted.');
      try {
        await journal.accept(found.reason);
      } catch (error) {
        return refuse('unavailable', error instanceof Error ? error.message : String(error));
      }
      return done(await reader.verify());
    },
    'history.export': async ({ format, ...filter }) => {
      const extension = { markdown: 'md', json: 'json', jsonl: 'jsonl', cloudevents: 'jsonl' }[format];
      const { canceled, filePath } = await dialog.showSaveDialog(shell.window.native, {
        title: 'Export history',
        defaultPath: `gatehouse-history.${extension}`,
      });
      if (canceled || filePath === '') return done({ file: null });
      await reader.export(format, filter, filePath);
      return done({ file: filePath });
    },
    'telemetry.get': async ({ hours }) => done(await reader.telemetry(hours)),
  }) satisfies Partial<Handlers>;

const noOutput = refuse('not-found', 'No output of this call is kept.');

function openShellsJournal(shell: Shell, front: Front, sealer: Sealer): SqliteJournal {
  const { config, keyStore, logger, paths } = shell;
  const journal = openOrRefuse({
    dataDir: paths.root,
    clock: systemClock,
    signer: createHeadSigner(shell.secrets),
    sealer,
    outside: {
      store:
        keyStore.missing === null
          ? createSystemStore({
              entry: join(shell.built, 'system-store.js'),
              after: shell.shown,
              log: (message, details) => logger.warn(message, { details }),
            })
          : null,
      missing: keyStore.missing ?? '',
      folder: shell.givenDataDir,
      onTrouble: (words) =>
        front.problem(
          'An older copy of the history could not be told now',
          `How far the history reaches is kept in the system’s key store, which can’t be used. ${words} Gatehouse tries again.`,
        ),
    },
    keepDays: () => config.own.journal.keep_days,
    onSideError: (error) => logger.error('Beside the journal', { error }),
  });
  if (journal.movedAside !== null) {
    front.problem(
      'The journal was damaged',
      `It is kept, whole, in ${journal.movedAside.folder}. A new journal was begun; what was in progress then is not known to it.`,
    );
  }
  journal.onCommit((events, calls) => {
    if (!sealer.available && events.some(withholds)) {
      front.notices.show(nothingSealed(keyStore.warning));
    }
    for (const call of calls) front.publish({ type: 'call', call });
  });
  followHealth(journal, front.status, front.notices);
  showUnsettled(journal, front.publish);
  return journal;
}

function openOrRefuse(options: JournalOptions): SqliteJournal {
  try {
    return openJournal(options);
  } catch (error) {
    throw error instanceof UnreleasedJournalError ? new StartRefused([error.message]) : error;
  }
}

/** Something was taken out of it that is kept only sealed. */
const withholds = (event: JournalEvent): boolean =>
  ('withheld' in event && event.withheld !== undefined) ||
  (event.type === 'call-settled' && event.result.withheld !== undefined);

/** Metrics go where the settings say now. */
function metricsOf({ config }: Shell, front: Front, journal: SqliteJournal) {
  const metrics = new OtlpSwitch({
    journal,
    version: app.getVersion(),
    onProblem: (error) =>
      front.problem('Metrics could not be sent', error instanceof Error ? error.message : String(error)),
  });
  const follow = (endpoint: string): void => void metrics.set(endpoint);
  config.watch(({ everywhere }) => everywhere.telemetry.otlp_endpoint, follow);
  return { start: () => follow(config.everywhere.telemetry.otlp_endpoint), end: () => metrics.set('') };
}

function upkeepOf({ config, logger }: Shell, journal: SqliteJournal, reader: WorkerJournalReader, undo: UndoStore) {
  const timers: NodeJS.Timeout[] = [];
  const keepWithin = async (): Promise<void> => {
    const { keep_days: days, output_quota_bytes: quota } = config.own.journal;
    const before = systemClock.now() - days * DAY_MS;
    try {
      await reader.pruneOutputs(quota, before);
      await undo.prune(before);
      // In small steps, so that the window is not kept waiting.
      for (let next = journal.erase(before, ERASED_AT_ONCE).next; next !== null;) {
        await new Promise((resolve) => setImmediate(resolve));
        next = journal.erase(before, ERASED_AT_ONCE, next).next;
      }
      await eraseConversations(journal, before);
    } catch (error) {
      if (!(error instanceof JournalUnavailableError)) logger.error('Upkeep failed', { error });
    }
  };
  return {
    start: () => {
      if (journal.startedAfterCrash) {
        void reader.checkIntegrity().then(
          (damage) => {
            if (damage !== null) journal.declareDamaged(damage);
          },
          (error: unknown) => logger.error('The journal could not be checked', { error }),
        );
      }
      timers.push(
        setTimeout(() => void keepWithin(), UPKEEP_FIRST_MS).unref(),
        setInterval(() => void keepWithin(), UPKEEP_EVERY_MS).unref(),
      );
    },
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Erases conversations until none is due; then no word of them is left for search. */
async function eraseConversations(journal: SqliteJournal, before: number): Promise<void> {
  let hasErased = false;
  while (journal.eraseConversation(before)) {
    hasErased = true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!hasErased) return;
  while (journal.mergeSearchWords()) await new Promise((resolve) => setImmediate(resolve));
}

async function lastLines(reader: WorkerJournalReader, callId: string, stream: 'stdout' | 'stderr'): Promise<string> {
  const first = await reader.outputWindow({ callId, stream }, 0, PARTIAL_LINES);
  if (first === null || first.totalLines === null || first.totalLines <= PARTIAL_LINES) return textOf(first);
  return textOf(await reader.outputWindow({ callId, stream }, first.totalLines - PARTIAL_LINES, PARTIAL_LINES));
}

async function wholeOutput(outputWindow: Record['outputWindow'], callId: string): Promise<string | null> {
  const place = { callId, stream: 'both' } as const;
  let text = '';
  for (let fromLine = 0; ;) {
    const window = await outputWindow(place, fromLine, LINES_AT_ONCE);
    if (window === null || window.totalBytes > MOST_BYTES_COPIED) return null;
    text += textOf(window);
    fromLine += window.rows.length;
    if (window.rows.length === 0) return text;
  }
}

const textOf = (window: OutputWindow | null): string => window?.rows.map(({ text }) => text).join('') ?? '';

/** Images may have gone since the call was recorded: what can be undone now is what is still kept. */
async function withWhatIsKept(detail: CallDetail | null, undo: UndoStore): Promise<CallDetail | null> {
  if (detail === null || detail.changedFiles.length === 0) return detail;
  const kept = new Map((await undo.changedFiles(detail.callId))?.map((file) => [file.path, file]));
  const changedFiles = detail.changedFiles.map((file) =>
    file.undoable
      ? // Why it deserves a look is in the record alone.
        { ...file, ...(kept.get(file.path) ?? { undoable: false, note: 'No copy from before is kept any more.' }) }
      : file,
  );
  return { ...detail, changedFiles };
}

/** Said when it first matters. */
const nothingSealed = (warning: string | null): Notice => ({
  id: 'nothing-sealed',
  severity: 'warning',
  title: 'What looks like a secret is not kept',
  text:
    'A call held something that looks like a secret. Gatehouse can keep such things only sealed, and this system has no key ' +
    'store to seal them with: what was taken out can’t be shown later, files that hold some can’t be undone, and a call that ' +
    'waits with one ends if Gatehouse stops.',
  details: warning,
  dismissible: true,
});
