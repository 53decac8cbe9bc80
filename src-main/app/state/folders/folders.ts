import type { Config } from '#contract/vocabulary/config.js';
import { type Asker, isOwnAct } from '../../../domain/call/asker.js';
import { NOT_PERMITTED } from '../../../domain/call/failures.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { SerialQueue } from '../../../platform/serial-queue.js';
import { type JailOptions, PathJail } from '../../../workspace/sandbox/path-jail.js';

export type Roots = Pick<PathJail, 'roots' | 'refusedRoots'>;

interface FoldersDeps {
  /** The configuration in force in a folder (of one that is not open, what would be), and wherever none is. */
  readonly config: (folder?: string) => Config;
  readonly bounds: (folder: string) => JailOptions;
  /** Listeners hear which folders tools may touch now, by the open folder that they belong to. */
  readonly onRoots: (roots: ReadonlyMap<string, Roots>) => void;
}

const NO_WORKSPACE = 'No folder is open in Gatehouse. Open one, then try again.';

/** A situation kept for the person’s own act in a folder that is not open. */
interface HeldSituation {
  readonly situation: PlanningSituation;
  readonly users: number;
}

/**
 * The folders that are open, each with its settings and its jail. A jail is built anew whenever the settings change: one after
 * another, so that none is put in the place of a later one, and only for the last of many changes that came while one was built.
 */
export class Folders {
  readonly #parts: FoldersDeps;
  readonly #turns = new SerialQueue();
  readonly #open = new Map<string, PlanningSituation>();
  readonly #roots = new Map<string, Roots>();
  readonly #held = new Map<string, HeldSituation>();
  #next: Promise<void> | null = null;

  constructor(parts: FoldersDeps) {
    this.#parts = parts;
  }

  get open(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** The situation in force there for an asker. */
  situation(folder: string, asker?: Asker): PlanningSituation {
    const held = asker !== undefined && isOwnAct(asker) ? this.#held.get(folder)?.situation : undefined;
    return this.#open.get(folder) ?? held ?? this.#closed(folder);
  }

  /** Resolves when settings and jails belong together. */
  get settled(): Promise<void> {
    return this.#turns.over();
  }

  /** Throws, with words for a person, where no root of it is a folder: then all stays as it is. */
  enter(folder: string): Promise<void> {
    return this.#turns.run(async () => {
      const { situation, roots } = await this.#built(folder);
      this.#open.set(folder, situation);
      this.#roots.set(folder, roots);
      this.#parts.onRoots(this.#roots);
    });
  }

  /** Leaves a folder: from now on nothing happens there. */
  leave(folder: string): void {
    this.#open.delete(folder);
    this.#roots.delete(folder);
    this.#parts.onRoots(this.#roots);
  }

  /**
   * While `work` goes on, the person may act themselves in a folder that is closed. Nobody else may. Throws, with words for a
   * person, where it can't be entered.
   */
  async during<T>(folder: string, work: (situation: PlanningSituation) => Promise<T>): Promise<T> {
    const open = this.#open.get(folder);
    if (open !== undefined) return work(open);
    if (folder === '') return work(this.#closed(folder));
    const { situation } = await this.#built(folder);
    this.#held.set(folder, { situation, users: (this.#held.get(folder)?.users ?? 0) + 1 });
    try {
      return await work(situation);
    } finally {
      const users = (this.#held.get(folder)?.users ?? 1) - 1;
      if (users === 0) this.#held.delete(folder);
      else this.#held.set(folder, { situation, users });
    }
  }

  /** The settings are in force at once, even where a jail can't be built: then no tool reaches anything there. Throws that too. */
  rebuild(): Promise<void> {
    for (const [folder, now] of this.#open) this.#open.set(folder, { ...now, config: this.#parts.config(folder) });
    this.#next ??= this.#turns.run(async () => {
      this.#next = null;
      const problems: string[] = [];
      for (const folder of this.open) {
        const problem = await this.#rebuilt(folder);
        if (problem !== null) problems.push(problem);
      }
      this.#parts.onRoots(this.#roots);
      if (problems.length > 0) throw new Error(problems.join(' '));
    });
    return this.#next;
  }

  async #rebuilt(folder: string): Promise<string | null> {
    const config = this.#parts.config(folder);
    try {
      const { situation, roots } = await this.#built(folder);
      // Closed meanwhile.
      if (!this.#open.has(folder)) return null;
      this.#open.set(folder, situation);
      this.#roots.set(folder, roots);
      return null;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (!this.#open.has(folder)) return null;
      this.#open.set(folder, { workspace: folder, isOpen: true, config, sandbox: noSandbox(why) });
      return `In ${folder}: ${why}`;
    }
  }

  async #built(folder: string): Promise<{ readonly situation: PlanningSituation; readonly roots: Roots }> {
    const config = this.#parts.config(folder);
    const jail = await PathJail.create(folder, config.tools.sandbox, this.#parts.bounds(folder));
    return { situation: { workspace: folder, isOpen: true, config, sandbox: jail }, roots: jail };
  }

  #closed(folder: string): PlanningSituation {
    const why = folder === '' ? NO_WORKSPACE : NOT_PERMITTED.message;
    return { workspace: folder, isOpen: false, config: this.#parts.config(), sandbox: noSandbox(why) };
  }
}

/** Where nothing can be reached, and why. */
function noSandbox(why: string): Sandbox {
  const refuse = (): never => {
    throw new ToolFailure({ code: 'Disabled', message: why });
  };
  return {
    workingDirectory: '',
    roots: [],
    validate: async () => refuse(),
    openFile: async () => refuse(),
    openDirectory: async () => refuse(),
    openFolderOf: async () => refuse(),
    facts: async () => refuse(),
    inspectRoots: () => [],
    findObeyedPaths: async () => refuse(),
    inspectPath: async () => refuse(),
    isDenied: () => true,
  };
}
