import type { Dirent } from 'node:fs';
import { isMadeByTools } from '../../../domain/sensitive/sensitive-places.js';
import { type FileStatus, statusOf } from '../../handles/file-status.js';
import { READ_RIGHTS } from '../../handles/owner-rights.js';
import { errnoOf } from '../../handles/unsafe-path-error.js';
import { unpatchedFs } from '../../../platform/files/unpatched-fs.js';
import { parentFolder, restoreOwnerRights } from './restore-owner-rights.js';
import { joinPath, toShownPath, systemPath } from './raw-path.js';

const { lstatSync, readdirSync } = unpatchedFs;

/** The files of a workspace that other programs obey, at one moment. */
export interface ControlScan {
  /** Files, links and whatever else is at such a place, by path from the root. */
  readonly found: ReadonlyMap<string, FileStatus>;
  /** The outermost file or folder of each, where it exists. */
  readonly places: ReadonlySet<string>;
  /** Folders that Git would take for a repository's own. */
  readonly repositories: ReadonlySet<string>;
  /** Paths that the settings of Git name, whether something is there or not. */
  readonly named: ReadonlySet<string>;
  /** The found paths that count only because such a setting, or a link, leads to them. */
  readonly byName: ReadonlySet<string>;
  /** Dot names that no list knows, the outermost of each path; null where that is not known. */
  readonly unknownDots: ReadonlySet<string> | null;
  /** Folders that could not be looked into. */
  readonly unread: ReadonlySet<string>;
  /** False where it was too much to be looked at. */
  readonly complete: boolean;
}

export interface ScanBounds {
  readonly maxFolders: number;
  readonly maxFound: number;
  readonly maxMs: number;
}

const MAX_DEPTH = 300;

/** A look in progress. Paths are as the system has them, one character a byte. */
export class ScanPass implements ControlScan {
  readonly found = new Map<string, FileStatus>();
  readonly places = new Set<string>();
  readonly repositories = new Set<string>();
  readonly named = new Set<string>();
  readonly byName = new Set<string>();
  readonly unknownDots = new Set<string>();
  /** The unknown dot names of an earlier look: any other is new, and is searched whole. */
  unknownDotsBefore: ReadonlySet<string> | null = null;
  readonly unread = new Set<string>();
  /** Folders that were collected whole, and are not walked through besides. */
  readonly entered = new Set<string>();
  /** Links at such places: what they lead to is obeyed as well. */
  readonly links = new Set<string>();
  readonly beginning: { readonly path: string; readonly rest: readonly string[] }[] = [];
  /** Generated folders in such places: to be searched for repositories. */
  readonly made: string[] = [];
  complete = true;
  #isNaming = false;
  readonly raw: string;
  readonly #bounds: ScanBounds;
  readonly #deadline: number;
  #folders = 0;

  constructor(raw: string, bounds: ScanBounds) {
    this.raw = raw;
    this.#bounds = bounds;
    this.#deadline = performance.now() + bounds.maxMs;
  }

  mayGoOn(depth: number): boolean {
    this.#folders += 1;
    const over = this.#folders > this.#bounds.maxFolders || depth > MAX_DEPTH || performance.now() > this.#deadline;
    if (over) this.complete = false;
    return this.complete;
  }

  add(path: string, status: FileStatus): void {
    if (status.kind === 'symlink') this.links.add(path);
    this.addItself(path, status);
  }

  /** Runs work; all that is found meanwhile is marked as found because something leads to it. */
  whileNaming(work: () => void): void {
    const before = this.#isNaming;
    this.#isNaming = true;
    try {
      work();
    } finally {
      this.#isNaming = before;
    }
  }

  /** A link that begins a place, and the names that go on with it. */
  addBeginning(path: string, status: FileStatus, rest: readonly string[]): void {
    this.beginning.push({ path, rest });
    this.addItself(path, status);
  }

  /** Also a link that is followed by its own rules, or not at all. */
  addItself(path: string, status: FileStatus): void {
    if (this.found.size >= this.#bounds.maxFound) this.complete = false;
    else {
      const shown = toShownPath(path);
      if (!this.#isNaming) this.byName.delete(shown);
      else if (!this.found.has(shown)) this.byName.add(shown);
      this.found.set(shown, status);
    }
  }

  /** The status of the name itself. Null where nothing is; what can't be read is noted. */
  status(path: string): FileStatus | null {
    const seen = this.#facts(path);
    // Not only where it can't be listed: what has names and no more is not known to whoever looks after us.
    if (
      seen?.kind !== 'dir' ||
      (seen.mode & READ_RIGHTS) === READ_RIGHTS ||
      !restoreOwnerRights(this.raw, path, READ_RIGHTS)
    )
      return seen;
    return this.#facts(path);
  }

  #facts(path: string): FileStatus | null {
    const stats = this.#tried(path, parentFolder(path), (at) => lstatSync(at, { bigint: true, throwIfNoEntry: false }));
    return stats === undefined || stats === null ? null : statusOf(stats);
  }

  addUnknownDot(path: string, status: FileStatus): void {
    const shown = toShownPath(path);
    this.unknownDots.add(shown);
    if (this.unknownDotsBefore?.has(shown) !== false) return;
    if (status.kind !== 'dir') this.add(path, status);
    else {
      this.entered.add(path);
      this.addAllIn(path);
    }
  }

  entriesOf(path: string): readonly Dirent[] | null {
    return this.#tried(path, path, (at) => readdirSync(at, { withFileTypes: true, encoding: 'latin1' }));
  }

  /** Null where it can't be had, also after what of ours is in the way was opened. */
  #tried<T>(path: string, through: string, look: (at: string | Buffer) => T): T | null {
    for (let again = false; ; again = true) {
      try {
        return look(this.#at(path));
      } catch (error) {
        if (again || errnoOf(error) !== 'EACCES' || !restoreOwnerRights(this.raw, through, READ_RIGHTS)) break;
      }
    }
    this.unread.add(toShownPath(path));
    return null;
  }

  /** Every file below, whatever it is called. */
  addAllIn(path: string, leavesOut: (name: string) => boolean = () => false): void {
    const waiting = [{ path, depth: 0 }];
    for (let next = waiting.pop(); next !== undefined && this.complete; next = waiting.pop()) {
      if (!this.mayGoOn(next.depth)) return;
      for (const { name } of this.entriesOf(next.path) ?? []) {
        const inner = joinPath(next.path, name);
        if (leavesOut(name)) continue;
        const status = this.status(inner);
        if (status === null) continue;
        if (status.kind !== 'dir') this.add(inner, status);
        else if (isMadeByTools(name)) this.made.push(inner);
        else waiting.push({ path: inner, depth: next.depth + 1 });
      }
    }
  }

  #at(path: string): string | Buffer {
    return systemPath(path === '' ? this.raw : `${this.raw}/${path}`);
  }
}
