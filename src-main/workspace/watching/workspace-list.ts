import { join } from 'node:path';
import type { DirectoryEntry } from '../../domain/ports/workspace/sandbox.js';
import { isUnlistedFolder } from '../../domain/sensitive/made-folders.js';
import { DirectoryHandle } from '../handles/directory-handle.js';
import type { EntryName } from '../handles/entry-name.js';
import type { FileStatus } from '../handles/file-status.js';

/** Every file of a workspace at one moment, found by a walk from the open root that follows no link. */
export interface WorkspaceList {
  /** The files by path from the root, with forward slashes. */
  readonly files: ReadonlyMap<string, FileStatus>;
  /** The folders with their modes. */
  readonly folders: ReadonlyMap<string, number>;
  /** Folders that could not be looked into: nothing is known of what is in them. */
  readonly unread: ReadonlySet<string>;
  /** Paths that are no valid text: what is shown of them does not lead to them. */
  readonly unnamable: ReadonlySet<string>;
  /** Folders of dependencies and the like, of which only that they are there is known. */
  readonly notEntered: ReadonlyMap<string, FileStatus>;
  /** False when a bound was reached first. */
  readonly complete: boolean;
}

export interface ListBounds {
  readonly maxFiles: number;
  readonly maxMs: number;
  readonly signal?: AbortSignal;
}

export const LIST_BOUNDS: ListBounds = { maxFiles: 20_000, maxMs: 600 };
/** Where what is not listed can't be written to. */
export const KEEPING_BOUNDS: ListBounds = { maxFiles: 100_000, maxMs: 20_000 };

/** The depth of the walk, bounded since each level is an open folder. */
const MAX_DEPTH = 100;
/** Looked at so many at a time before other work gets its turn. */
const SLICE = 256;

/** The only files of Git's own that are listed: those that make it run something. */
const IN_GIT: ReadonlySet<string> = new Set(['hooks', 'config', 'config.worktree', 'commondir', 'info']);

/** `hidden` are absolute paths that are no part of the workspace though they lie in it: Gatehouse's own data. */
export async function listWorkspace(
  root: string,
  bounds: ListBounds = LIST_BOUNDS,
  hidden: readonly string[] = [],
): Promise<WorkspaceList> {
  const listing = new WorkspaceWalk(root, bounds, hidden);
  await listing.run();
  return listing;
}

class WorkspaceWalk implements WorkspaceList {
  readonly files = new Map<string, FileStatus>();
  readonly folders = new Map<string, number>();
  readonly unread = new Set<string>();
  readonly unnamable = new Set<string>();
  readonly notEntered = new Map<string, FileStatus>();
  complete = true;
  readonly #root: string;
  readonly #hidden: ReadonlySet<string>;
  readonly #maxFiles: number;
  readonly #deadline: number;
  readonly #signal: AbortSignal | null;
  #looked = 0;
  #sincePause = 0;

  constructor(root: string, bounds: ListBounds, hidden: readonly string[]) {
    this.#root = root;
    this.#hidden = new Set(hidden);
    this.#maxFiles = bounds.maxFiles;
    this.#deadline = performance.now() + bounds.maxMs;
    this.#signal = bounds.signal ?? null;
  }

  async run(): Promise<void> {
    const root = await DirectoryHandle.openRoot(this.#root).catch(() => null);
    // A workspace that is gone holds nothing.
    if (root !== null) await this.#enter(root, '', 0, true);
  }

  /** Closes what it is given. */
  async #enter(folder: DirectoryHandle, path: string, depth: number, namable: boolean): Promise<void> {
    const inner: { readonly name: EntryName; readonly path: string; readonly namable: boolean }[] = [];
    try {
      for await (const entries of folder.entries('now')) {
        const chosen = entries.map(nameOf).filter(({ text }) => !isGitInternal(path, text));
        const seen = await folder.lstatMany(chosen.map(({ name }) => name));
        for (const [index, { name, text }] of chosen.entries()) {
          const status = seen[index] ?? null;
          if (status === null) continue;
          const relative = path === '' ? text : `${path}/${text}`;
          const isNamable = namable && name === text;
          if (!isNamable) this.unnamable.add(relative);
          if (status.kind !== 'dir') this.files.set(relative, status);
          else if (isUnlistedFolder(text)) this.notEntered.set(relative, status);
          else if (!this.#hidden.has(join(this.#root, relative))) {
            this.folders.set(relative, status.mode);
            inner.push({ name, path: relative, namable: isNamable });
          }
        }
        if (!(await this.#mayGoOn(chosen.length))) return;
      }
      for (const { name, path: innerPath, namable: isNamable } of inner) {
        if (depth >= MAX_DEPTH) this.complete = false;
        if (!this.complete) return;
        const child = await folder.openChild(name, 'now').catch(() => null);
        if (child === null) this.unread.add(innerPath);
        else await this.#enter(child, innerPath, depth + 1, isNamable);
      }
    } catch {
      this.unread.add(path);
    } finally {
      await folder.close();
    }
  }

  async #mayGoOn(looked: number): Promise<boolean> {
    this.#looked += looked;
    this.#sincePause += looked;
    const over = this.#looked >= this.#maxFiles || performance.now() > this.#deadline;
    if (over || this.#signal?.aborted === true) this.complete = false;
    if (this.#sincePause >= SLICE) {
      this.#sincePause = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return this.complete;
  }
}

/** How an entry is reached, and how it is shown: the same where its name is valid text. */
function nameOf(entry: DirectoryEntry): { readonly name: EntryName; readonly text: string } {
  const text = entry.name;
  // What differs from its bytes read one by one is not plain ASCII, and may be no text at all.
  const isText = text === entry.raw || Buffer.from(text).equals(entry.nameBytes);
  return { name: isText ? text : entry.nameBytes, text };
}

const isGitInternal = (folder: string, name: string): boolean =>
  (folder === '.git' || folder.endsWith('/.git')) && !IN_GIT.has(name);

/** The folders above a path, outermost first. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
