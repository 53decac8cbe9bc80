import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { ChangedFile } from '../../src-preload/contract/calls.js';

/**
 * What a command changed in the workspace: a list of every file before it and after it. Bounded in files and in time;
 * past a bound the answer is said to be incomplete. Content is not kept, so none of it can be undone.
 */
export interface WorkspaceList {
  readonly files: ReadonlyMap<string, string>;
  readonly complete: boolean;
}

export interface WorkspaceChanges {
  readonly changed: readonly ChangedFile[];
  readonly complete: boolean;
}

export interface ListBounds {
  readonly maxFiles: number;
  readonly maxMs: number;
}

export const LIST_BOUNDS: ListBounds = { maxFiles: 20_000, maxMs: 400 };
const MAX_REPORTED = 1000;
/** Looked at so many at a time before other work gets its turn. */
const SLICE = 256;

/** Folders that hold what tools made: thousands of files that nobody reads through. */
const NOT_ENTERED: ReadonlySet<string> = new Set(['node_modules', '.venv', '__pycache__', '.tox', '.cache']);
/** Of Git's own files only those that make it run something. */
const IN_GIT: ReadonlySet<string> = new Set(['hooks', 'config', 'config.worktree', 'commondir', 'info']);

export async function listWorkspace(root: string, bounds: ListBounds = LIST_BOUNDS): Promise<WorkspaceList> {
  const files = new Map<string, string>();
  const complete = await visitFiles(root, bounds, (path, facts) => files.set(path, fingerprint(facts)));
  return { files, complete };
}

/**
 * What changed since a moment, where no list from before is at hand (the app was gone meanwhile). Deleted files can't be
 * told this way, nor created ones from modified ones where the file system keeps no time of birth.
 */
export async function changedSince(
  root: string,
  since: number,
  bounds: ListBounds = LIST_BOUNDS,
): Promise<WorkspaceChanges> {
  const changed: ChangedFile[] = [];
  const note = 'It changed after this call began, by it or by something else. What it was before was not kept.';
  const complete = await visitFiles(root, bounds, (path, { ctimeMs, birthtimeMs }) => {
    if (ctimeMs < since) return;
    changed.push({ path, change: birthtimeMs >= since ? 'created' : 'modified', undoable: false, note });
  });
  changed.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { changed: changed.slice(0, MAX_REPORTED), complete: complete && changed.length <= MAX_REPORTED };
}

/** False when a bound was reached first. */
async function visitFiles(
  root: string,
  bounds: ListBounds,
  visit: (path: string, facts: Stats) => void,
): Promise<boolean> {
  const deadline = performance.now() + bounds.maxMs;
  const waiting: string[] = [''];
  let looked = 0;
  while (waiting.length > 0) {
    const folder = waiting.pop() ?? '';
    for (const name of namesIn(join(root, folder))) {
      const relative = folder === '' ? name : `${folder}/${name}`;
      if (isGitInternal(folder, name)) continue;
      const facts = factsOf(join(root, relative));
      if (facts === null) continue;
      if (!facts.isDirectory()) visit(relative, facts);
      else if (!NOT_ENTERED.has(name)) waiting.push(relative);
      looked += 1;
      if (looked >= bounds.maxFiles || performance.now() > deadline) return false;
      if (looked % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return true;
}

export function compareLists(before: WorkspaceList, after: WorkspaceList): WorkspaceChanges {
  const changed: ChangedFile[] = [];
  const add = (path: string, change: ChangedFile['change'], note: string): void => {
    changed.push({ path, change, undoable: false, note });
  };
  for (const [path, now] of after.files) {
    const then = before.files.get(path);
    // With an incomplete list before, a file that is not in it may have been there.
    if (then === undefined) {
      if (before.complete) add(path, 'created', 'Created by a command: delete it by hand if it is not wanted.');
    } else if (then !== now) {
      add(path, 'modified', 'Changed by a command, which can’t be undone: what was in it before was not kept.');
    }
  }
  if (after.complete) {
    for (const path of before.files.keys()) {
      if (!after.files.has(path)) {
        add(path, 'deleted', 'Deleted by a command, which can’t be undone: what was in it was not kept.');
      }
    }
  }
  changed.sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    changed: changed.slice(0, MAX_REPORTED),
    complete: before.complete && after.complete && changed.length <= MAX_REPORTED,
  };
}

const isGitInternal = (folder: string, name: string): boolean =>
  (folder === '.git' || folder.endsWith('/.git')) && !IN_GIT.has(name);

/** The time of change can't be set by who changes; the rest tells apart what happens within one tick of it. */
const fingerprint = (facts: Stats): string =>
  `${facts.ino}:${facts.size}:${facts.mtimeMs}:${facts.ctimeMs}:${facts.mode}`;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function factsOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
