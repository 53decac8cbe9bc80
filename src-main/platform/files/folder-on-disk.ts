import { readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Folder } from '../../domain/commands/reading/folder.js';
import { isMadeByTools } from '../../domain/sensitive/sensitive-places.js';
import { findOutsideRepository } from '../git/outside-repository.js';
import { readTrackedFiles } from '../git/tracked-files.js';

/** The most files that are listed while somebody waits for a verdict. */
const MAX_FILES = 20_000;
const MAX_TEXT_BYTES = 256 * 1024;
/** Settings that say where package managers and Git fetch from; nothing else of the home folder is read. */
const IN_HOME: ReadonlySet<string> = new Set([
  '.npmrc',
  '.yarnrc.yml',
  '.config/pip/pip.conf',
  '.pip/pip.conf',
  '.cargo/config.toml',
  '.config/go/env',
  '.gemrc',
  '.gitconfig',
  '.config/git/config',
]);

/** The folder as it is at this moment. It is listed once, and only for a command that depends on it. */
export function openFolderOnDisk(roots: readonly string[]): Folder {
  const [root] = roots;
  let listed: readonly string[] | null | undefined;
  return {
    roots,
    files: () => (listed === undefined ? (listed = root === undefined ? null : listFilesBelow(root)) : listed),
    tracked: (at) => (root === undefined ? { top: '', files: [] } : readTrackedFiles(root, at)),
    text: (path) => {
      const inHome = path.startsWith('~/') ? path.slice(2) : null;
      if (inHome !== null) return IN_HOME.has(inHome) ? readText(join(homedir(), inHome)) : null;
      const leads = path.startsWith('/') || path.split('/').includes('..');
      return root === undefined || leads ? null : readText(placeOf(root, path));
    },
  };
}

/** The place of a path: what a worktree or a submodule has of Git's lies in the repository outside. */
function placeOf(root: string, path: string): string {
  const ofGit = path.startsWith('.git/') ? findOutsideRepository(root) : null;
  return ofGit === null ? join(root, path) : join(ofGit.common, path.slice('.git/'.length));
}

/**
 * Lists the files below a folder, without build outputs and Git’s own; null where there are too many, or not all can be
 * seen.
 */
function listFilesBelow(root: string): readonly string[] | null {
  const files: string[] = [];
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    let entries;
    try {
      entries = readdirSync(join(root, folder), { withFileTypes: true });
    } catch {
      return null;
    }
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name === '.git' || isMadeByTools(entry.name)) files.push(`${path}/`);
        else waiting.push(path);
      } else files.push(path);
    }
    if (files.length + waiting.length > MAX_FILES) return null;
  }
  return files;
}

function readText(path: string): string | null {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= MAX_TEXT_BYTES ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
