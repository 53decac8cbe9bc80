import type { CommandUndo } from '../../domain/ports/command-undo.js';
import type { AsideStore } from '../../domain/ports/put-aside.js';
import type { WorkspaceLeftovers, WorkspaceWatch } from '../../domain/ports/workspace-watch.js';
import { CommandGuard } from './control/command-guard.js';
import { LedTo } from './control/led-to.js';
import { Turns } from './control/turns.js';
import { LIST_BOUNDS, type ListBounds } from './list.js';
import { SNAPSHOT_BOUNDS, type SnapshotBounds, WorkspaceSnapshot } from './snapshot/workspace-snapshot.js';
import { TrackedCommand, type TrackingParts } from './track-changes.js';

export interface WorkspaceWatchOptions {
  /** Gatehouse's own data: no part of a workspace though it may lie in it. */
  readonly hidden: readonly string[];
  readonly home: string;
  /** Where what commands change is kept for undo, and the folder for copies of what was there before. */
  readonly undo: CommandUndo;
  readonly copies: string;
  /** Where what may not stay after a command is kept, and the folder for what a crash must find again. */
  readonly aside: AsideStore;
  readonly owedLooks: string;
  /** That is open, which may hold more than what commands run in. */
  readonly workspace?: () => string;
  /** How much of the workspace is looked at and copied, and how long; a test has time, whatever the machine does. */
  readonly bounds?: { readonly list: ListBounds; readonly copies: SnapshotBounds };
  readonly log: (message: string) => void;
}

export interface OpenWorkspaceWatch extends WorkspaceWatch, WorkspaceLeftovers {
  close(): Promise<void>;
}

export function openWorkspaceWatch(options: WorkspaceWatchOptions): OpenWorkspaceWatch {
  const { hidden, home, log, undo } = options;
  const bounds = options.bounds ?? { list: LIST_BOUNDS, copies: SNAPSHOT_BOUNDS };
  const where = { hidden, home, ...(options.workspace === undefined ? {} : { workspace: options.workspace }) };
  const snapshot = new WorkspaceSnapshot({ folder: options.copies, hidden, log, bounds: bounds.copies });
  const guard = new CommandGuard({ ...where, store: options.aside, folder: options.owedLooks, log });
  const ledTo = new LedTo({ ...where, before: (root) => guard.beforeCommands(root) });
  const turns = new Turns();
  const tracking: TrackingParts = { undo, snapshot, guard, hidden, log, list: bounds.list };
  return {
    prepare: (place) => snapshot.prepare(place),
    inTurn: (root, { named }, signal, work) => turns.inTurn(root, named.length > 0, signal, work),
    begin: (callId, place, mayLeave) => TrackedCommand.begin(tracking, callId, place, mayLeave),
    putAsideAfterCrash: (callId, workspace) => guard.recover(callId, workspace),
    isInDoubt: (workingDirectory) => guard.isInDoubt(workingDirectory),
    ledTo: (root) => ledTo.in(root),
    close: () => snapshot.close(),
  };
}
