import { OBEYED_IN_GIT } from '../../../domain/sensitive/git-folder.js';
import { ControlScanner } from './control-scanner.js';
import type { ControlScan } from './scan-pass.js';
import { joinPath } from './raw-path.js';

export interface ControlTargetsDeps {
  readonly hidden: readonly string[];
  readonly home: string | null;
  readonly folders?: () => readonly string[];
  /** The state right before the commands that run there now: what they remove from the settings comes back. */
  readonly before?: (root: string) => ControlScan | null;
}

interface TargetScan {
  readonly looker: ControlScanner;
  last: Promise<unknown>;
}

/**
 * Finds for file tools the targets of links at control paths, and the paths that the settings of Git name. Searched
 * anew each time, since people change links without telling; only folders whose names changed are listed.
 */
export class ControlTargets {
  readonly #parts: ControlTargetsDeps;
  readonly #roots = new Map<string, TargetScan>();

  constructor(parts: ControlTargetsDeps) {
    this.#parts = parts;
  }

  /** Paths from the root, each for all that is in it. Null where it was too much to be looked at. */
  async find(root: string): Promise<ReadonlySet<string> | null> {
    let looking = this.#roots.get(root);
    if (looking === undefined) {
      looking = { looker: new ControlScanner(root, this.#parts), last: Promise.resolve() };
      this.#roots.set(root, looking);
    }
    const { looker } = looking;
    // One at a time: it remembers what it listed.
    const look = looking.last.then(() => looker.scan());
    looking.last = look.catch(() => undefined);
    const now = await look;
    return now.complete ? new Set([now, this.#parts.before?.(root) ?? null].flatMap(obeyedPaths)) : null;
  }
}

/** Also in a repository that is one only by what another says of it. */
const obeyedPaths = (look: ControlScan | null): readonly string[] =>
  look === null
    ? []
    : [
        ...look.named,
        ...[...look.repositories].flatMap((path) => OBEYED_IN_GIT.map((member) => joinPath(path, member))),
      ];
