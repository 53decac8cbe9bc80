import { homedir, userInfo } from 'node:os';
import { RecordRedactor } from '../gate/executor/result/record-redactor.js';
import type { CrashCleanups } from '../gate/recovery/crash-leftovers.js';
import { clearCommandGroups } from '../process/ending/command-group.js';
import { reapProcess } from '../process/ending/reaper.js';
import type { CodeInspector } from '../domain/ports/sources/code-inspector.js';
import { PinnedCopies } from '../platform/pinned/pinned-copies.js';
import { findFolderAround } from '../process/environment/search-path.js';
import { createOwnCode } from '../process/programs/own-code.js';
import { createHeldPrograms, type HeldPrograms } from '../process/programs/held-programs.js';
import { clearAbandonedPrograms } from '../process/programs/program-places.js';
import { reapPrograms } from '../process/programs/running-list.js';
import { removeLeftContainers } from '../process/workers/container-removal.js';
import { createWorkerRunner } from '../process/workers/worker-runner.js';
import type { ProgramRecord } from '../domain/ports/program-record.js';
import type { WorkerRunner } from '../domain/ports/sources/worker.js';
import { clearAbandonedPipes } from '../process/start/fifo-pool.js';
import { CopyPack } from '../workspace/watching/snapshot/copy-pack.js';
import { clearFolders } from '../workspace/handles/clear-folders.js';
import { type OpenWorkspaceWatch, openWorkspaceWatch } from '../workspace/watching/workspace-watch.js';
import { systemClock } from '../platform/clock.js';
import { WrittenFolders } from '../platform/data-folder/written-folders.js';
import { Listeners } from '../platform/listeners.js';
import { createCommandRunner, type DisposableCommandRunner } from '../process/command-runner.js';
import type { Front } from './front.js';
import type { Record } from './record.js';
import type { Shell } from './shell.js';
import type { Roots } from './state/folders/folders.js';
import { openConfinementNotice } from './state/confinement-notice.js';

/** The wing that runs commands, and watches what they leave in the workspace. */
export interface Commands {
  readonly runner: DisposableCommandRunner;
  readonly watch: OpenWorkspaceWatch;
  /** Programs of sources, held as commands are. */
  readonly programs: HeldPrograms;
  /** The runner of a domain package's workers. */
  readonly workers: WorkerRunner;
  /** The code that programs load: the same is accepted, kept and mounted. */
  readonly code: CodeInspector;
  readonly codeCopies: PinnedCopies;
  /** The folders that are open now. */
  readonly folders: () => readonly string[];
  /** The folders that tools may write to, or could at any time before: their real paths. */
  readonly written: () => readonly string[];
  /** Whether tools may write to what stands at a path, or could once. */
  readonly mayBeWritten: (path: string) => boolean;
  /** Listeners hear each time that other folders are open, before any call works in one. */
  readonly onFolders: (listener: () => void) => void;
  /** Once it was found out whether commands can be confined, which is tried at the first question. */
  readonly confinementTried: () => Promise<void>;
  /** Listeners hear each time that the confinement was probed. */
  readonly onConfinement: (listener: () => void) => void;
  /** Sets the folders that are open from now on, and what tools may touch of each. */
  readonly workIn: (open: ReadonlyMap<string, Roots>) => void;
  readonly clearings: Pick<CrashCleanups, 'processes' | 'controlGroups' | 'pipes' | 'copies' | 'leavings'>;
  readonly close: () => Promise<void>;
}

export function openCommands(shell: Shell, front: Front, record: Record): Commands {
  const { logger, paths, redactor } = shell;
  let folders: readonly string[] = [];
  const written = writtenFolders(shell);
  let clearingPipes: Promise<void> | null = null;
  const listeners = new Listeners();
  const folderListeners = new Listeners();
  const mayBeWritten = (path: string): boolean => findFolderAround(path, written.all) !== null;
  const { code, codeCopies } = codeOf(shell, () => folders, mayBeWritten);
  const notice = confinementNotice(shell, front);
  const watch = openWorkspaceWatch({
    hidden: [paths.root],
    home: homedir(),
    undo: record.commandUndo,
    copies: paths.copies,
    quarantine: record.aside,
    pendingChecksFolder: paths.owedLooks,
    folders: () => folders,
    log: (message) => logger.warn(message),
  });
  const runner = createCommandRunner({
    outputs: record.outputs,
    redactor,
    hidden: [paths.root],
    writable: () => written.all,
    watch,
    copies: paths.copies,
    onConfinement: (found) => {
      notice.found(found);
      listeners.tell();
    },
    log: (message) => logger.warn(message),
  });
  const onRecord = programRecord(shell, record);
  const programs = createHeldPrograms({
    ...runner.holding,
    folders: () => folders,
    standing: (root) => watch.standing(root),
    live: (root) => watch.live(root),
    hides: (root, config) => watch.listHiddenPaths(root, config, false),
    runningFolder: paths.runningPrograms,
    record: onRecord,
    log: (message) => logger.warn(message),
  });
  const workers = workersOf(shell, runner, onRecord);
  // The status bar wants to know, and no later than the first command; nothing of a start has to wait for it.
  void shell.shown.then(() => runner.confinement());
  return {
    runner,
    watch,
    programs,
    workers,
    code,
    codeCopies,
    folders: () => folders,
    written: () => written.all,
    mayBeWritten,
    onFolders: (listener) => void folderListeners.add(listener),
    confinementTried: async () => void (await runner.confinement()),
    onConfinement: (listener) => void listeners.add(listener),
    workIn: (open) => {
      folders = [...open.keys()];
      const writable = new Set([...open].flatMap(([folder, { roots }]) => [folder, ...roots]));
      written.add(writable);
      watch.keepCopiesOf(writable);
      folderListeners.tell();
    },
    clearings: clearingsOf(shell, watch, (clearing) => {
      clearingPipes = clearing;
    }),
    close: async () => {
      await clearingPipes;
      await Promise.all([programs[Symbol.asyncDispose](), workers.close()]);
      await runner[Symbol.asyncDispose]();
      await watch.close();
    },
  };
}

const writtenFolders = ({ logger, paths }: Shell): WrittenFolders =>
  new WrittenFolders(paths.writtenFolders, (error) =>
    logger.warn('Which folders tools could write to could not be kept', { error }),
  );

function codeOf({ paths }: Shell, folders: () => readonly string[], mayBeWritten: (path: string) => boolean) {
  const codeCopies = new PinnedCopies(paths.programCopies);
  const own = () => ({ homes: [homedir(), userInfo().homedir], hidden: [paths.root, ...folders()] });
  return { code: createOwnCode({ own, mayBeWritten, copies: codeCopies }), codeCopies };
}

/** Records programs that run without being a call as the gate records calls: without secrets, and before they run. */
function programRecord({ redactor, logger }: Shell, { journal }: Record): ProgramRecord {
  const without = new RecordRedactor(redactor);
  return {
    recordStart: (facts) => void journal.append([without.event({ type: 'program-started', ...facts })]),
    recordEnd: (facts) => {
      try {
        journal.append([without.event({ type: 'program-ended', ...facts })]);
      } catch (error) {
        logger.error('That a program ended could not be recorded', { error });
      }
    },
  };
}

/** The cleanups that end, check and remove what a crash left of commands and programs. */
const clearingsOf = (
  { paths, logger }: Shell,
  watch: OpenWorkspaceWatch,
  onPipes: (clearing: Promise<void>) => void,
): Commands['clearings'] => ({
  processes: async ({ interrupted, found }) => {
    await Promise.all(
      interrupted.map(async ({ callId, process }) => {
        if (process !== null) found(callId, { process: await reapProcess(process) });
      }),
    );
    await reapPrograms(paths.runningPrograms, (message) => logger.warn(message));
    await removeLeftContainers(paths.containers, (message) => logger.warn(message));
  },
  controlGroups: clearCommandGroups,
  pipes: () => {
    // Nobody waits for it: whether it works is nothing to a command, and the next start looks again.
    onPipes(
      clearAbandonedPipes(clearFolders)
        .then(() => clearAbandonedPrograms(clearFolders))
        .catch((error: unknown) => logger.warn(`Folders of pipes could not be cleared away: ${String(error)}`)),
    );
  },
  copies: () => CopyPack.removeStrays(paths.copies),
  leavings: async ({ interrupted, found }) => {
    // What ran elsewhere has left nothing here, but for a program that may write to the folder.
    const ofCommands = interrupted.filter(
      ({ nature, callId }) => nature === 'command' || (nature === 'remote' && watch.isLookPending(callId)),
    );
    await Promise.all(
      ofCommands.map(async ({ callId, workspace: root }) => {
        const { putAside, carried } = await watch.clearAfterCrash(callId, root);
        found(callId, { putAside, carried, couldWrite: true });
      }),
    );
  },
});

/**
 * Creates the runner of workers. They are confined as commands are, and noted beside programs of sources for the next
 * start after a crash.
 */
const workersOf = (
  { paths, redactor, logger }: Shell,
  runner: DisposableCommandRunner,
  record: ProgramRecord,
): WorkerRunner =>
  createWorkerRunner({
    record,
    confinement: runner.holding.confinement,
    writable: runner.holding.writable,
    runningFolder: paths.runningPrograms,
    containersNote: paths.containers,
    builtImages: paths.builtImages,
    redactor,
    log: (message) => logger.warn(message),
  });

/** Whether commands can be confined here is told, and looked at again where the person asks for it otherwise. */
function confinementNotice({ config, logger, paths }: Shell, front: Front): ReturnType<typeof openConfinementNotice> {
  const notice = openConfinementNotice({
    status: front.status,
    notices: front.notices,
    seenFile: paths.confinementSeen,
    mode: () => config.current.tools.run_command.confinement,
    now: () => systemClock.now(),
    warn: (message) => logger.warn(message),
  });
  config.watch(
    ({ current }) => current.tools.run_command.confinement,
    (mode) => {
      front.status.confinementAsked(mode);
      notice.configChanged();
    },
  );
  return notice;
}
