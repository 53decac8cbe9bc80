import { randomUUID } from 'node:crypto';
import type { GuardedCall, GuardedWork } from '../../domain/ports/workspace/workspace-watch.js';
import type { PutAsideFile } from '#contract/vocabulary/put-aside.js';
import type { CommandUndo } from '../../domain/ports/workspace/command-undo.js';
import type { CommandGuard, LookedAfter } from './control/command-guard.js';

const NOTHING_MAY_BE_LEFT = { git: false, gitCommands: null, named: [] } as const;

interface Parts {
  readonly guard: CommandGuard;
  readonly undo: Pick<CommandUndo, 'watch'>;
  readonly log: (message: string) => void;
}

/**
 * What holds for what a command leaves holds for programs of sources that may write to a folder, call by call. One that lives on
 * between its calls may leave something there, too: that is looked at before the next call or command.
 */
export class GuardedCalls {
  readonly #parts: Parts;
  /** By root: who lives on there. */
  readonly #residents = new Map<string, number>();
  /** By root: how many calls are under way, and which was the last. */
  readonly #calls = new Map<string, { readonly underWay: number; readonly last: string }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Before the next command or call there: what those who live on left meanwhile is put aside, as that call's. */
  async before(callId: string, root: string): Promise<readonly PutAsideFile[]> {
    if (!this.#residents.has(root)) return [];
    const looked = await this.#parts.guard.check(callId, root);
    return looked?.putAside ?? [];
  }

  async during<T>(callId: string, root: string, work: () => Promise<T>): Promise<GuardedWork<T>> {
    const left = await this.before(callId, root);
    const watch = this.#parts.undo.watch(root);
    const count = (by: number): void =>
      void this.#calls.set(root, { underWay: (this.#calls.get(root)?.underWay ?? 0) + by, last: callId });
    count(1);
    try {
      await this.#parts.guard.begin(callId, root, NOTHING_MAY_BE_LEFT, watch);
      const done = await settledOf(work);
      const looked = await this.#parts.guard.end(callId, root);
      return { done, left: all(left, looked) };
    } finally {
      count(-1);
      watch[Symbol.dispose]();
    }
  }

  /** One begins that may write there until what this gives is disposed of. */
  async live(root: string): Promise<AsyncDisposable> {
    const { guard, undo, log } = this.#parts;
    const id = `program-${randomUUID()}`;
    const watch = undo.watch(root);
    try {
      await guard.begin(id, root, NOTHING_MAY_BE_LEFT, watch);
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

function all(before: readonly PutAsideFile[], { putAside, complete }: LookedAfter): GuardedCall {
  const files = new Map([...before, ...putAside].map((file) => [file.path, file]));
  return { putAside: [...files.values()], lookComplete: complete };
}

const settledOf = async <T>(work: () => Promise<T>): Promise<PromiseSettledResult<T>> =>
  work().then(
    (value) => ({ status: 'fulfilled', value }),
    (reason: unknown) => ({ status: 'rejected', reason }),
  );
