import type { CommandUndo } from '../../domain/ports/workspace/command-undo.js';
import type { QuarantineStore } from '../../domain/ports/workspace/quarantine-store.js';
import type {
  GuardCall,
  ProtectedFiles,
  WorkspaceLeftovers,
  WorkspaceWatch,
} from '../../domain/ports/workspace/workspace-watch.js';
import { CommandGuard } from './control/command-guard.js';
import type { NamedFiles } from '../../domain/ports/workspace/named-files.js';
import { inspectNamedFiles } from './keeping/inspect-named-files.js';
import { ControlScanner } from './control/control-scanner.js';
import { GuardedCalls } from './guarded-calls.js';
import { HiddenFiles } from './hidden-files.js';
import { listReadOnlyPaths } from './control/read-only-paths.js';
import { ControlTargets } from './control/control-targets.js';
import { CommandTurns } from './control/command-turns.js';
import { Snapshots } from './snapshot/snapshots.js';
import { findOutermost } from '../../platform/git/repository-top.js';
import { LIST_BOUNDS, type ListBounds, listWorkspace } from './workspace-list.js';
import { SNAPSHOT_BOUNDS, type SnapshotBounds, WorkspaceSnapshot } from './snapshot/workspace-snapshot.js';
import { TrackedCommand, type TrackingDeps } from './tracked-command.js';

export interface WorkspaceWatchOptions {
  /** Gatehouse's own data: no part of a workspace though it may lie in it. */
  readonly hidden: readonly string[];
  readonly home: string;
  /** Where what commands change is kept for undo, and the folder for copies of what was there before. */
  readonly undo: CommandUndo;
  readonly copies: string;
  /** The quarantine for what may not stay after a command, and the folder for what a crash must find again. */
  readonly quarantine: QuarantineStore;
  readonly pendingChecksFolder: string;
  /** The folders that are open: one may contain the folder that a command runs in, or be another one. */
  readonly folders?: () => readonly string[];
  /** How much of the workspace is looked at and copied, and how long; a test has time, whatever the machine does. */
  readonly bounds?: { readonly list: ListBounds; readonly copies: SnapshotBounds };
  readonly log: (message: string) => void;
}

export interface OpenWorkspaceWatch extends WorkspaceWatch, WorkspaceLeftovers, NamedFiles {
  /** The present files, and those that a program that is not watched may not write to. */
  standing(root: string): Promise<ProtectedFiles>;
  readonly guardCall: GuardCall;
  /** A program begins that may write there between calls, too. */
  live(root: string): Promise<AsyncDisposable>;
  /** Keeps copies of these folders and drops those of all others. */
  keepCopiesOf(roots: ReadonlySet<string>): void;
  close(): Promise<void>;
}

export function openWorkspaceWatch(options: WorkspaceWatchOptions): OpenWorkspaceWatch {
  const { hidden, home, log, undo } = options;
  const bounds = options.bounds ?? { list: LIST_BOUNDS, copies: SNAPSHOT_BOUNDS };
  const where = { hidden, home, ...(options.folders === undefined ? {} : { folders: options.folders }) };
  const folders = options.folders ?? (() => []);
  const snapshots = new Snapshots(
    () =>
      new WorkspaceSnapshot({
        folder: options.copies,
        hidden,
        log,
        bounds: bounds.copies,
        keeps: (content) => undo.wouldKeep(content),
      }),
  );
  const guard = new CommandGuard({ ...where, store: options.quarantine, folder: options.pendingChecksFolder, log });
  const ledTo = new ControlTargets({
    ...where,
    before: (root) => guard.beforeCommands(root),
    isIgnored: (root, repositories, relative) => guard.isIgnoredAtHead(root, repositories, relative),
  });
  const hiddenFiles = new HiddenFiles();
  const turns = new CommandTurns();
  const list = (root: string) => listWorkspace(root, bounds.list, hidden);
  const calls = new GuardedCalls({ guard, undo, list, log });
  const tracking: TrackingDeps = { calls, undo, snapshots, guard, hidden, log, list: bounds.list };
  return {
    prepare: (place, unasked) => void snapshots.of(place.root).prepare(place, unasked),
    runInTurn: (root, { mayLeave, unasked }, signal, work) =>
      // Folders that lie in one another take turns together: what one leaves by name, the other sees.
      turns.runInTurn(
        findOutermost(root, folders()) ?? root,
        mayLeave.named.length > 0 || unasked !== null,
        signal,
        work,
      ),
    begin: (callId, place, may) => TrackedCommand.begin(tracking, callId, place, may),
    guardCall: (callId, root, signal, work) =>
      turns.runInTurn(findOutermost(root, folders()) ?? root, false, signal, () => calls.run(callId, root, work)),
    live: (root) => calls.openResident(root),
    isLookPending: (callId) => guard.hasPendingCheck(callId),
    clearAfterCrash: (callId, workspace) => guard.recover(callId, workspace),
    isInDoubt: (workingDirectory) => guard.isInDoubt(workingDirectory),
    listHiddenPaths: (root, config, gitsOwn) => hiddenFiles.find(root, config, gitsOwn),
    findObeyedPaths: (root) => ledTo.find(root),
    lookAt: (place, named) => inspectNamedFiles(place, named, hidden),
    standing: async (root) => {
      const look = await new ControlScanner(root, where).scan();
      const before = await list(root);
      return { readOnly: listReadOnlyPaths(root, look, NOTHING_MAY_BE_LEFT), before };
    },
    keepCopiesOf: (roots) => snapshots.keepOnly(roots),
    close: () => snapshots.close(),
  };
}

const NOTHING_MAY_BE_LEFT = { git: false, gitCommands: null, named: [] } as const;
