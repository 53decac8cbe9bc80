import { join } from 'node:path';
import type { IsObeyedPath } from '../../../domain/ports/workspace/sandbox.js';
import { OBEYED_IN_GIT } from '../../../domain/sensitive/git-folder.js';
import { foldPath } from '../../../domain/sensitive/name-folding.js';
import { findUnknownDot } from '../../../domain/sensitive/unknown-dot-files.js';
import { unpatchedFs } from '../../../platform/files/unpatched-fs.js';
import { ControlScanner } from './control-scanner.js';
import type { ControlScan } from './scan-pass.js';
import { joinPath } from './raw-path.js';

export interface ControlTargetsDeps {
  readonly hidden: readonly string[];
  readonly home: string | null;
  readonly folders?: () => readonly string[];
  /** The state right before the commands that run there now: what they remove from the settings comes back. */
  readonly before?: (root: string) => ControlScan | null;
  /** Whether the person's own last commit ignores a path; left out: nothing is ignored. */
  readonly isIgnored?: (root: string, repositories: ReadonlySet<string>, relative: string) => boolean;
}

interface TargetScan {
  readonly looker: ControlScanner;
  last: Promise<unknown>;
}

/**
 * Finds for file tools the targets of links at control paths, the paths that the settings of Git name, and new dot names
 * that no list knows. Searched anew each time, since people change links without telling; only folders whose names changed are listed.
 */
export class ControlTargets {
  readonly #parts: ControlTargetsDeps;
  readonly #roots = new Map<string, TargetScan>();

  constructor(parts: ControlTargetsDeps) {
    this.#parts = parts;
  }

  /** The paths that programs obey, as it is now. Null where it was too much to be looked at. */
  async find(root: string): Promise<IsObeyedPath | null> {
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
    if (!now.complete) return null;
    const before = this.#parts.before?.(root) ?? null;
    const places = new Set([now, before].flatMap(obeyedPaths).map(foldPath));
    // While a command runs, what was committed last may be its own.
    const isIgnored = before === null ? this.#parts.isIgnored : undefined;
    return (relative) =>
      isWithin(foldPath(relative), places) ||
      (isNewDot(root, relative) && isIgnored?.(root, now.repositories, relative) !== true);
  }
}

/** Whether one of the places is the path or holds it. */
function isWithin(path: string, places: ReadonlySet<string>): boolean {
  if (places.has('')) return true;
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (places.has(path.slice(0, end))) return true;
  }
  return false;
}

/** A dot name that no list knows, or in such a folder, where nothing stands yet. */
const isNewDot = (root: string, relative: string): boolean =>
  findUnknownDot(relative) !== null && lstatOrNull(join(root, relative)) === null;

/** What can't be looked at counts as new. */
function lstatOrNull(path: string): object | null {
  try {
    return unpatchedFs.lstatSync(path);
  } catch {
    return null;
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
