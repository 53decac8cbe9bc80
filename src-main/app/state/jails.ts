import type { Config } from '#contract/vocabulary/config.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { Sandbox } from '../../domain/ports/sandbox.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { type JailBounds, PathJail } from '../../workspace/sandbox/path-jail.js';

interface Parts {
  readonly config: () => Config;
  readonly bounds: () => JailBounds;
  readonly now: () => PlanningSituation;
  readonly change: (situation: PlanningSituation) => void;
  readonly onRoots: (jail: Pick<PathJail, 'roots' | 'refusedRoots'>, workspace: string) => void;
}

export const NO_WORKSPACE = 'No workspace is open in Gatehouse. Open one, then ask again.';

/**
 * The jail of the workspace that is open, built anew whenever the settings change: one after another, so that none is put
 * in the place of a later one, and only the last of many changes that came while one was built.
 */
export class Jails {
  readonly #parts: Parts;
  /** Resolves when settings and jail belong together. */
  settled: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws, with words for a person, where no root of it is a folder: then all stays as it is. */
  open(workspace: string): Promise<void> {
    return this.#inTurn(async () => {
      const config = this.#parts.config();
      const jail = await this.#jail(workspace, config);
      this.#parts.change({ config, sandbox: jail, workspace });
    });
  }

  /** The settings are in force at once, even where the jail can't be built: then no tool reaches anything. Throws that too. */
  rebuild(): Promise<void> {
    const { change, now, config } = this.#parts;
    change({ ...now(), config: config() });
    this.#next ??= this.#inTurn(async () => {
      this.#next = null;
      const { workspace } = now();
      if (workspace === '') return;
      const inForce = config();
      try {
        const sandbox = await this.#jail(workspace, inForce);
        change({ workspace, config: inForce, sandbox });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        change({ workspace, config: inForce, sandbox: noSandbox(why) });
        throw error;
      }
    });
    return this.#next;
  }

  async #jail(workspace: string, config: Config): Promise<PathJail> {
    const jail = await PathJail.create(workspace, config.tools.sandbox, this.#parts.bounds());
    this.#parts.onRoots(jail, workspace);
    return jail;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.settled.then(work);
    this.settled = mine.catch(() => undefined);
    return mine;
  }
}

/** Where nothing can be reached, and why. */
export function noSandbox(why: string): Sandbox {
  const refuse = (): never => {
    throw new ToolFailure({ code: 'Disabled', message: why });
  };
  return {
    workingDirectory: '',
    roots: [],
    validate: async () => refuse(),
    openFile: async () => refuse(),
    openDirectory: async () => refuse(),
    facts: async () => refuse(),
    rootsNow: () => [],
    obeyedIn: async () => refuse(),
    standing: async () => refuse(),
    isDenied: () => true,
  };
}
