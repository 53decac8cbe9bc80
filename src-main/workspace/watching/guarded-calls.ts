import { randomUUID } from 'node:crypto';
import type { GuardedCall, GuardedWork } from '../../domain/ports/workspace/workspace-watch.js';
import type { QuarantinedFile } from '#contract/vocabulary/activity/quarantine.js';
import type { CommandUndo } from '../../domain/ports/workspace/command-undo.js';
import type { ChangedFile } from '#contract/vocabulary/calls.js';
import { compareLists, listNewFolders, MAX_REPORTED, type PathChange } from './compare-lists.js';
import type { CommandGuard } from './control/command-guard.js';
import type { ScanResult } from './control/guarded-root.js';
import { describeDanger } from './describe-danger.js';
import type { WorkspaceList } from './workspace-list.js';

/** A repository outside is read-only to programs that are held, and not looked at for one that isn't: it lives for long. */
const PROGRAM = { mayLeave: { git: false, gitCommands: null, named: [] }, writesOutside: false } as const;

interface GuardedCallsDeps {
  readonly guard: CommandGuard;
  readonly undo: Pick<CommandUndo, 'watch'>;
  readonly list: (root: string) => Promise<WorkspaceList>;
  readonly log: (message: string) => void;
}

/**
 * Guards the calls of source programs that may write to a folder by the rules for commands, call by call. A program
 * that lives on between its calls may leave something there, too: that is checked before the next call or command.
 */
export class GuardedCalls {
  readonly #parts: GuardedCallsDeps;
  /** The number of long-running programs, by root. */
  readonly #residents = new Map<string, number>();
  /** The number of calls under way and the id of the last one, by root. */
  readonly #calls = new Map<string, { readonly underWay: number; readonly last: string }>();

  constructor(parts: GuardedCallsDeps) {
    this.#parts = parts;
  }

  /** Quarantines, before the next command or call there, what long-running programs left meanwhile, as that call's. */
  async checkResidents(callId: string, root: string): Promise<readonly QuarantinedFile[]> {
    if (!this.#residents.has(root)) return [];
    const looked = await this.#parts.guard.check(callId, root);
    return looked?.putAside ?? [];
  }

  async run<T>(callId: string, root: string, work: () => Promise<T>): Promise<GuardedWork<T>> {
    const left = await this.checkResidents(callId, root);
    const watch = this.#parts.undo.watch(root);
    const count = (by: number): void =>
      void this.#calls.set(root, { underWay: (this.#calls.get(root)?.underWay ?? 0) + by, last: callId });
    count(1);
    try {
      await this.#parts.guard.begin(callId, root, { ...PROGRAM, watch });
      const stood = await this.#parts.list(root);
      const done = await settledOf(work);
      const looked = await this.#parts.guard.end(callId, root);
      const stands = await this.#parts.list(root);
      const { changed, complete } = compareLists(stood, stands);
      const createdFolders = listNewFolders(stood, stands);
      const files = changed.filter(({ path }) => !watch.wasChangedByTool(path));
      return { done, left: { ...mergeQuarantined(left, looked), ...reportChanges(files, createdFolders, complete) } };
    } finally {
      count(-1);
      watch[Symbol.dispose]();
    }
  }

  /** Starts the guard of a program that may write there until the returned value is disposed of. */
  async openResident(root: string): Promise<AsyncDisposable> {
    const { guard, undo, log } = this.#parts;
    const id = `program-${randomUUID()}`;
    const watch = undo.watch(root);
    try {
      await guard.begin(id, root, { ...PROGRAM, watch });
    } catch (error) {
      watch[Symbol.dispose]();
      throw error;
    }
    this.#residents.set(root, (this.#residents.get(root) ?? 0) + 1);
    return {
      [Symbol.asyncDispose]: async () => {
        const left = (this.#residents.get(root) ?? 1) - 1;
        if (left === 0) this.#residents.delete(root);
        else this.#residents.set(root, left);
        const { underWay = 0, last = id } = this.#calls.get(root) ?? {};
        // While a call goes on, its own end looks; else what it left last is the last call's.
        const looked = underWay > 0 ? null : await guard.check(last, root);
        await guard.forget(id, root);
        watch[Symbol.dispose]();
        const names = (looked?.putAside ?? []).map(({ path }) => path);
        if (names.length > 0) log(`A program that ended left in ${root}, and it was put aside: ${names.join(', ')}.`);
      },
    };
  }
}

const NOT_KEPT = 'It changed while this call ran, by it or by something else. What it was before was not kept.';

/** The changes as reported. Quarantined files are as they were, and not among them. */
const reportChanges = (changed: readonly PathChange[], createdFolders: readonly string[], complete: boolean) => ({
  changedFiles: changed.slice(0, MAX_REPORTED).map((each): ChangedFile => {
    const danger = describeDanger(each);
    const { path, change } = each;
    return { path, change, undoable: false, note: NOT_KEPT, ...(danger === null ? {} : { danger }) };
  }),
  changesComplete: complete && changed.length <= MAX_REPORTED && createdFolders.length <= MAX_REPORTED,
  createdFolders: createdFolders.slice(0, MAX_REPORTED),
});

function mergeQuarantined(
  before: readonly QuarantinedFile[],
  { putAside, complete }: ScanResult,
): Pick<GuardedCall, 'putAside' | 'lookComplete'> {
  const files = new Map([...before, ...putAside].map((file) => [file.path, file]));
  return { putAside: [...files.values()], lookComplete: complete };
}

const settledOf = async <T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> =>
  work().then(
    (value) => ({ status: 'fulfilled', value }),
    (reason: unknown) => ({ status: 'rejected', reason }),
  );
