import type { QuarantinedFile } from '#contract/vocabulary/activity/quarantine.js';
import type { ChangedFile, LineChanges } from '#contract/vocabulary/calls.js';
import type {
  CommandChange,
  CommandRecord,
  CommandUndo,
  CommandWatch,
  FileState,
  LinkState,
} from '../../domain/ports/workspace/command-undo.js';
import type { WorkspaceChanges, AllowedChanges, WatchedCommand } from '../../domain/ports/workspace/workspace-watch.js';
import type { FileStatus } from '../handles/file-status.js';
import { countChangedLines } from '../../domain/text/line-changes.js';
import { sha256 } from '../../platform/digest.js';
import { gitIgnored } from '../../platform/git/git-ignored.js';
import { AfterReader } from './after-reader.js';
import { compareLists, listNewFolders, MAX_REPORTED, type PathChange } from './compare-lists.js';
import type { CommandGuard } from './control/command-guard.js';
import { listReadOnlyPaths } from './control/read-only-paths.js';
import { describeDanger, describeNewRepository } from './describe-danger.js';
import { createTrackedTest } from './keeping/tracked-files.js';
import { type UnrestorablePaths, findUnrestorablePaths } from './keeping/unrestorable-paths.js';
import { foldersAbove, KEEPING_BOUNDS, type ListBounds, listWorkspace, type WorkspaceList } from './workspace-list.js';
import { findChangedFolders, describeUndoLeftovers } from './undo-leftovers.js';
import { NamedPaths } from './named-paths.js';
import { isSecretPath } from './secret-path.js';
import type { StateBefore, HeldSnapshot } from './snapshot/held-snapshot.js';
import type { Snapshots } from './snapshot/snapshots.js';
import type { SnapshotPlace } from './snapshot/workspace-snapshot.js';
import type { GuardedCalls } from './guarded-calls.js';
import { UNDO_REFUSALS, type UndoRefusal } from './undo-refusals.js';

export interface TrackingDeps {
  readonly undo: CommandUndo;
  readonly snapshots: Snapshots;
  readonly guard: CommandGuard;
  readonly calls: Pick<GuardedCalls, 'checkResidents'>;
  /** Absolute paths that are no part of a workspace though they may lie in it. */
  readonly hidden: readonly string[];
  readonly log: (message: string) => void;
  /** The bounds of the listings before and after. */
  readonly list: ListBounds;
}

/** A command's changes to its workspace, from right before it starts. Disposed of when they are found, or never will be. */
export class TrackedCommand implements WatchedCommand {
  readonly #parts: TrackingDeps;
  readonly #callId: string;
  readonly #place: SnapshotPlace;
  readonly #watch: CommandWatch;
  readonly #before: WorkspaceList;
  readonly #held: HeldSnapshot;
  /** The paths of the workspace that a confined command can't write to. */
  readonly readOnly: readonly string[];
  readonly own: readonly string[];
  readonly unkept: readonly string[];
  /** Whether nobody was asked: then everything it changes is kept. */
  readonly #mustKeep: boolean;
  readonly #named: NamedPaths;
  /** The files that were quarantined right before it. */
  readonly #meanwhile: readonly QuarantinedFile[];
  #guarded = true;

  private constructor(
    parts: TrackingDeps,
    callId: string,
    place: SnapshotPlace,
    watch: CommandWatch,
    before: WorkspaceList,
    held: HeldSnapshot,
    readOnly: readonly string[],
    unkept: UnrestorablePaths | null,
    named: NamedPaths,
    meanwhile: readonly QuarantinedFile[],
  ) {
    this.#named = named;
    this.#meanwhile = meanwhile;
    this.#parts = parts;
    this.#callId = callId;
    this.#place = place;
    this.#watch = watch;
    this.#before = before;
    this.#held = held;
    const absolute = (path: string): string => (path === '' ? place.root : `${place.root}/${path}`);
    this.readOnly = [...readOnly, ...(unkept?.readOnly ?? []).map(absolute)];
    this.own = (unkept?.own ?? []).map(absolute);
    this.unkept = unkept?.readOnly ?? [];
    this.#mustKeep = unkept !== null;
  }

  static async begin(
    parts: TrackingDeps,
    callId: string,
    place: SnapshotPlace,
    { mayLeave, unasked, names, isHeld }: AllowedChanges,
  ): Promise<TrackedCommand> {
    const watch = parts.undo.watch(place.root);
    try {
      const snapshot = parts.snapshots.of(place.root);
      snapshot.pause();
      const meanwhile = await parts.calls.checkResidents(callId, place.root);
      const look = await parts.guard.begin(callId, place.root, {
        mayLeave,
        watch,
        // Read-only to what is held and not Git's.
        writesOutside: !isHeld || mayLeave.git,
      });
      const mustKeep = unasked !== null;
      const before = await listWorkspace(place.root, mustKeep ? KEEPING_BOUNDS : parts.list, parts.hidden);
      const readOnly = listReadOnlyPaths(place.root, look, mayLeave);
      parts.guard.setFilesBefore(callId, place.root, before, isHeld ? readOnly : []);
      const held = await snapshot.hold(place, before, mustKeep);
      const { root } = place;
      const unkept = mustKeep
        ? findUnrestorablePaths({ root, list: before, held, isTracked: createTrackedTest(), unasked })
        : null;
      const named = new NamedPaths(names);
      return new TrackedCommand(parts, callId, place, watch, before, held, readOnly, unkept, named, meanwhile);
    } catch (error) {
      await parts.guard.forget(callId, place.root);
      watch[Symbol.dispose]();
      throw error;
    }
  }

  /** The list of files right before it. */
  get before(): WorkspaceList {
    return this.#before;
  }

  /** Finds the changes after the command, recorded for undo where that can be. */
  async end(): Promise<WorkspaceChanges> {
    this.#guarded = false;
    const looked = await this.#parts.guard.end(this.#callId, this.#place.root);
    const bounds = this.#mustKeep ? KEEPING_BOUNDS : this.#parts.list;
    const after = await listWorkspace(this.#place.root, bounds, this.#parts.hidden);
    this.#watch[Symbol.dispose]();
    const compared = compareLists(this.#before, after);
    // What was put aside is as it was.
    const aside = new Set(looked.putAside.map(({ path }) => path));
    const all = compared.changed.filter(({ path }) => !aside.has(path));
    // Where nobody was asked all of it can be undone, also what is too much to be told one by one.
    const lines = new Map<string, LineChanges>();
    const createdFolders = listNewFolders(this.#before, after);
    const complete = compared.complete && all.length <= MAX_REPORTED && createdFolders.length <= MAX_REPORTED;
    const why = await this.#record(this.#mustKeep ? all : all.slice(0, MAX_REPORTED), after, lines, {
      commits: looked.carried.made,
      createdFolders,
    });
    const changed = all.slice(0, MAX_REPORTED);
    // The next command finds copies of what this one left.
    void this.#parts.snapshots.of(this.#place.root).prepare(this.#place, this.#mustKeep, after);
    const files = changed.map((each): ChangedFile => {
      const reason = why.get(each.path);
      const danger = describeDanger(each);
      const counted = lines.get(each.path);
      return {
        path: each.path,
        change: each.change,
        undoable: reason === undefined,
        note: reason === undefined ? null : UNDO_REFUSALS[reason],
        ...(danger === null ? {} : { danger }),
        ...(counted === undefined ? {} : { lines: counted }),
      };
    });
    const told = [...looked.newRepositories.map(describeNewRepository), ...files];
    // What deserves a look comes first, however long the list is.
    const changedFiles = told.toSorted((a, b) => Number(b.danger !== undefined) - Number(a.danger !== undefined));
    return {
      changedFiles,
      changedFilesComplete: complete,
      createdFolders: createdFolders.slice(0, MAX_REPORTED),
      carried: looked.carried,
      putAside: [...this.#meanwhile, ...looked.putAside],
      lookComplete: looked.complete,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#guarded) await this.#parts.guard.end(this.#callId, this.#place.root);
    this.#watch[Symbol.dispose]();
    await this.#held[Symbol.asyncDispose]();
  }

  /** Gives why a path can't be undone; those that are not in it can be. */
  async #record(
    changed: readonly PathChange[],
    after: WorkspaceList,
    lines: Map<string, LineChanges>,
    { commits, createdFolders }: Pick<CommandRecord, 'createdFolders'> & { readonly commits: readonly string[] },
  ): Promise<ReadonlyMap<string, UndoRefusal>> {
    const why = new Map<string, UndoRefusal>();
    const given = new Set<string>();
    const changes = async function* (this: TrackedCommand): AsyncGenerator<CommandChange> {
      const reader = new AfterReader(this.#place.root, (path) => isSecretPath(path, this.#place), this.#mustKeep);
      for (let at = 0; at < changed.length; at += AT_ONCE) {
        const chunk = changed.slice(at, at + AT_ONCE);
        const found = await Promise.all(chunk.map((each) => this.#changeOf(each, after, reader)));
        for (const [index, { path }] of chunk.entries()) {
          const { change, not } = found[index] ?? { change: null, not: 'not-kept' };
          if (not !== null) why.set(path, not);
          if (change === null) continue;
          given.add(path);
          const counted = countChangedLines(change.before, change.after);
          if (counted !== null) lines.set(path, counted);
          yield change;
        }
      }
    }.bind(this);
    const removedFolders = foldersOnlyIn(this.#before, after);
    const { root } = this.#place;
    const folders = await Promise.all(
      findChangedFolders(this.#before.notEntered, after.notEntered).map(async (path) => ({
        path,
        isIgnored: await gitIgnored.isIgnored(root, `${path}/x`),
      })),
    );
    const leaves = () => describeUndoLeftovers(commits, folders, why);
    try {
      const record = { callId: this.#callId, root, changes: changes(), createdFolders, removedFolders, leaves };
      const kept = await this.#parts.undo.keep(record);
      for (const path of given) if (!kept.has(path)) why.set(path, 'quota');
    } catch (error) {
      this.#parts.log(`What ${this.#callId} changed can’t be undone: ${error instanceof Error ? error.message : ''}`);
      for (const { path } of changed) if (!why.has(path)) why.set(path, 'not-kept');
    }
    return why;
  }

  async #changeOf(each: PathChange, after: WorkspaceList, reader: AfterReader): Promise<RecordedPath> {
    const refusal = this.#refusal(each, after);
    // What it was is kept though something is in its way by now: nobody was asked whether it may go.
    const isKept = this.#mustKeep && (refusal === 'in-the-way' || (refusal === 'hard-links' && !isTied(each.before)));
    if (refusal !== null && !isKept) return { change: null, not: refusal };
    const found = await this.#images(each, reader);
    return typeof found === 'string' ? { change: null, not: refusal ?? found } : { change: found, not: refusal };
  }

  /** The reasons that are known without reading anything. */
  #refusal({ path, before, after }: PathChange, list: WorkspaceList): UndoRefusal | null {
    if (this.#watch.isSharedWithCommand) return 'shared';
    if (this.#watch.wasChangedByTool(path)) return 'by-a-tool';
    if (path.split('/').some((part) => part.toLowerCase() === '.git')) return 'in-git';
    if (this.#before.unnamable.has(path) || list.unnamable.has(path)) return 'unnamable';
    if (this.#place.isDenied(path)) return 'secret';
    if (before?.kind === 'other' || after?.kind === 'other') return 'special';
    if (isTied(before) || isTied(after)) return 'hard-links';
    if (after === null && standsInTheWay(path, list)) return 'in-the-way';
    return null;
  }

  async #images({ path, before, after }: PathChange, reader: AfterReader): Promise<CommandChange | UndoRefusal> {
    const was = before === null ? null : await this.#held.before(path, before);
    if (typeof was === 'string') return was;
    const is = after === null ? null : await reader.read(path, after);
    if (is === 'changed') return 'changed-after';
    if (is === 'too-large') return 'after-too-large';
    const isSure = this.#named.has(path, after === null);
    const change = { relative: path, before: was === null ? null : stateOf(was), after: is, isSure };
    return isSame(change.before, is) ? 'only-times' : change;
  }
}

/** `not`: why it can't be undone in the present state. */
interface RecordedPath {
  readonly change: CommandChange | null;
  readonly not: UndoRefusal | null;
}

/** Read together: waiting for the disk takes longer than reading, and so much fits in memory. */
const AT_ONCE = 16;

const foldersOnlyIn = (list: WorkspaceList, other: WorkspaceList): readonly { relative: string; mode: number }[] =>
  [...list.folders].flatMap(([relative, mode]) => (other.folders.has(relative) ? [] : [{ relative, mode }]));

const isTied = (status: FileStatus | null): boolean => status?.kind === 'file' && status.links > 1;

/** A folder where the file was, or a file where one of its folders was. */
const standsInTheWay = (path: string, list: WorkspaceList): boolean =>
  list.folders.has(path) || foldersAbove(path).some((folder) => list.files.has(folder));

function stateOf(was: StateBefore): NonNullable<CommandChange['before']> {
  if (was.kind === 'link') return { kind: 'link', target: was.target };
  const { size, mode, uid, gid } = was.status;
  return { kind: 'file', sha256: sha256(was.content), size, mode, uid, gid, content: was.content };
}

function isSame(a: FileState | LinkState | null, b: FileState | LinkState | null): boolean {
  if (a === null || b === null) return false;
  if (a.kind === 'link' || b.kind === 'link') return a.kind === 'link' && b.kind === 'link' && a.target === b.target;
  return a.sha256 === b.sha256 && a.mode === b.mode && a.uid === b.uid && a.gid === b.gid;
}
