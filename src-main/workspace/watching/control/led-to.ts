import { OBEYED_IN_GIT } from '../../../domain/sensitive/git-folder.js';
import { ControlLooker } from './control-look.js';
import type { ControlLook } from './look-pass.js';
import { inFolder } from './raw-path.js';

export interface LedToParts {
  readonly hidden: readonly string[];
  readonly home: string | null;
  readonly folders?: () => readonly string[];
  /** The state right before the commands that run there now: what they remove from the settings comes back. */
  readonly before?: (root: string) => ControlLook | null;
}

interface Looking {
  readonly looker: ControlLooker;
  last: Promise<unknown>;
}

/**
 * Finds for file tools the targets of links at control paths, and the paths that the settings of Git name. Searched
 * anew each time, since people change links without telling; only folders whose names changed are listed.
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
    const now = await look;
    return now.complete ? new Set([now, this.#parts.before?.(root) ?? null].flatMap(obeyedAt)) : null;
  }
}

/** Also in a repository that is one only by what another says of it. */
const obeyedAt = (look: ControlLook | null): readonly string[] =>
  look === null
    ? []
    : [
        ...look.named,
        ...[...look.repositories].flatMap((path) => OBEYED_IN_GIT.map((member) => inFolder(path, member))),
      ];
