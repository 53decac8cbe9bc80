import { ControlLooker } from './control-look.js';

export interface LedToParts {
  readonly hidden: readonly string[];
  readonly home: string | null;
  readonly workspace?: () => string;
}

interface Looking {
  readonly looker: ControlLooker;
  last: Promise<unknown>;
}

/**
 * For file tools: what links at places that steer programs lead to, and what the settings of Git name. It is looked at anew
 * each time, since people change links without telling; only folders whose names changed are listed.
 */
export class LedTo {
  readonly #parts: LedToParts;
  readonly #roots = new Map<string, Looking>();

  constructor(parts: LedToParts) {
    this.#parts = parts;
  }

  /** Paths from the root, each for all that is in it. Null where it was too much to be looked at. */
  async in(root: string): Promise<ReadonlySet<string> | null> {
    let looking = this.#roots.get(root);
    if (looking === undefined) {
      looking = { looker: new ControlLooker(root, this.#parts), last: Promise.resolve() };
      this.#roots.set(root, looking);
    }
    const { looker } = looking;
    // One at a time: it remembers what it listed.
    const look = looking.last.then(() => looker.look());
    looking.last = look.catch(() => undefined);
    const { named, complete } = await look;
    return complete ? named : null;
  }
}
