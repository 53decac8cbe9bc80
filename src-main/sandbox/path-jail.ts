import { basename, dirname, relative as relativePath, resolve, sep } from 'node:path';
import type { JudgedRoot, Standing } from '../domain/call/judgement.js';
import type { Config } from '../domain/config.js';
import { isControlFile } from '../domain/sensitive/table.js';
import type { FileFacts, JailedDirectory, JailedFile, JailedPath, Sandbox } from '../domain/ports.js';
import { DirectoryHandle } from '../platform/safe-fs/directory-handle.js';
import { type FileStatus, identityOf, stateOf, statusOf } from '../platform/safe-fs/file-status.js';
import { errnoOf, UnsafePathError } from '../platform/safe-fs/unsafe-path-error.js';
import { splitLast, walk, walkTo } from '../platform/safe-fs/walk.js';
import { unpatchedFs, unpatchedFsPromises } from '../platform/unpatched-fs.js';
import { checkAskedPath } from './asked-path.js';
import { canonicalPath } from './canonical-path.js';
import { DeniedPatterns } from './denied-patterns.js';
import { OpenJailedDirectory } from './jailed-directory.js';
import { OpenJailedFile } from './jailed-file.js';
import { deniedBy, outside, refusalOf, violation } from './refusals.js';

const { lstat, realpath } = unpatchedFsPromises;

export type SandboxSettings = Config['tools']['sandbox'];

/** A sparse file this large, with next to nothing in it, is there to hurt. */
const SPARSE_FROM = 2 ** 30;
const SPARSE_RATIO = 64;

/**
 * The path jail: seed 002 §3.5. `validate` says where a path leads and whether that is allowed; everything after walks
 * there from the open root, one folder at a time, and refuses any link it meets, since a link met then was not there
 * when the path was checked.
 */
export class PathJail implements Sandbox {
  readonly workingDirectory: string;
  readonly roots: readonly string[];
  /** Roots of the configuration that aren't folders; they allow nothing. */
  readonly unusableRoots: readonly string[];
  readonly #denied: DeniedPatterns;
  readonly #allowAbsolute: boolean;

  private constructor(roots: readonly string[], unusable: readonly string[], settings: SandboxSettings, first: string) {
    this.workingDirectory = first;
    this.roots = roots;
    this.unusableRoots = unusable;
    this.#denied = new DeniedPatterns(settings.denied_patterns, settings.include_default_denies);
    this.#allowAbsolute = settings.allow_absolute;
  }

  /** Roots are relative to the workspace, and canonical from here on. Throws when none of them is a folder. */
  static async create(workspace: string, settings: SandboxSettings): Promise<PathJail> {
    const roots: string[] = [];
    const unusable: string[] = [];
    for (const asked of settings.allowed_roots) {
      const root = await canonicalFolder(resolve(workspace, asked));
      if (root === null) unusable.push(asked);
      else if (!roots.includes(root)) roots.push(root);
    }
    const [first] = roots;
    if (first === undefined) {
      const listed = settings.allowed_roots.join(', ') || 'none';
      throw new Error(`No folder of tools.sandbox.allowed_roots (${listed}) exists in ${workspace}.`);
    }
    return new PathJail(roots, unusable, settings, first);
  }

  async validate(asked: string): Promise<JailedPath> {
    checkAskedPath(asked, this.#allowAbsolute);
    try {
      const lexical = resolve(this.workingDirectory, asked);
      const absolute = await canonicalPath(lexical);
      const root = this.#rootOf(absolute);
      if (root === null) throw outside(asked, 'it leads out of the workspace');
      const relative = below(root, absolute);
      this.#refuseDenied(asked, root, relative);
      // Also under the name that was asked: a denied name is denied even where it is a link to something harmless.
      if (lexical !== absolute) {
        const askedRoot = this.#rootOf(lexical);
        if (askedRoot !== null) this.#refuseDenied(asked, askedRoot, below(askedRoot, lexical));
      }
      refuseSpecial(await look(absolute), asked);
      return {
        absolute,
        relative,
        root,
        asked,
        isControlFile: isControlFile(relative, basename(root)) || isControlFile(asked.replaceAll('\\', '/')),
      } as unknown as JailedPath;
    } catch (error) {
      throw refusalOf(error, asked);
    }
  }

  async openFile(path: JailedPath): Promise<JailedFile> {
    try {
      return await inFolderOf(path, async (folder, name) => {
        if (name === null) throw new UnsafePathError('is-a-directory', path.asked, 'The root is a folder.');
        const file = await folder.openKnownFile(name);
        if (!isSparseGiant(file.facts)) return new OpenJailedFile(file, path.asked);
        await file.close();
        throw violation(path.asked, SPARSE);
      });
    } catch (error) {
      throw refusalOf(error, path.asked);
    }
  }

  async openDirectory(path: JailedPath): Promise<JailedDirectory> {
    try {
      const root = await DirectoryHandle.openRoot(path.root);
      if (path.relative === '') return new OpenJailedDirectory(root, path.asked);
      try {
        return new OpenJailedDirectory(await walkTo(root, path.relative), path.asked);
      } finally {
        await root.close();
      }
    } catch (error) {
      throw refusalOf(error, path.asked);
    }
  }

  async facts(path: JailedPath): Promise<FileFacts | null> {
    try {
      return await inFolderOf(path, async (folder, name) =>
        name === null ? statusOf(await lstat(path.root, { bigint: true })) : folder.lstat(name),
      );
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      throw refusalOf(error, path.asked);
    }
  }

  rootsNow(): readonly JudgedRoot[] {
    return this.roots.map((path) => ({ path, is: folderNow(path) }));
  }

  async standing(path: JailedPath): Promise<Standing> {
    try {
      const there = await look(path.absolute);
      let folder = path.absolute === path.root ? path.root : dirname(path.absolute);
      let found = await look(folder);
      // What is missing will be made, in the innermost folder that is there.
      while (found?.kind !== 'dir' && folder !== path.root) {
        folder = dirname(folder);
        found = await look(folder);
      }
      const folderIs = found === null ? GONE : identityOf(found);
      return { folder: below(path.root, folder), folderIs, file: there === null ? null : stateOf(there) };
    } catch (error) {
      throw refusalOf(error, path.asked);
    }
  }

  isDenied(relative: string, root?: string): boolean {
    const roots = root === undefined ? this.roots : [root];
    return roots.some((each) => this.#denied.denying(each, relative) !== null);
  }

  /** The innermost root that holds the path. */
  #rootOf(absolute: string): string | null {
    let found: string | null = null;
    for (const root of this.roots) {
      const holds = absolute === root || absolute.startsWith(root.endsWith(sep) ? root : root + sep);
      if (holds && (found === null || root.length > found.length)) found = root;
    }
    return found;
  }

  #refuseDenied(asked: string, root: string, relative: string): void {
    const pattern = this.#denied.denying(root, relative);
    if (pattern !== null) throw deniedBy(asked, pattern);
  }
}

/** No folder is this one. */
const GONE = 'gone';

/** Asked of the system directly: it holds the root open in its cache, and waiting for the thread pool takes longer. */
function folderNow(path: string): string {
  try {
    const status = statusOf(unpatchedFs.lstatSync(path, { bigint: true }));
    return status.kind === 'dir' ? identityOf(status) : GONE;
  } catch {
    return GONE;
  }
}

const SPARSE = 'it claims a huge size and has next to nothing in it';

const isSparseGiant = (status: FileStatus): boolean =>
  status.kind === 'file' && status.size >= SPARSE_FROM && status.allocatedBytes * SPARSE_RATIO < status.size;

const below = (root: string, absolute: string): string => {
  const path = relativePath(root, absolute);
  return sep === '/' ? path : path.replaceAll(sep, '/');
};

async function canonicalFolder(path: string): Promise<string | null> {
  try {
    const canonical = await realpath(path);
    return (await lstat(canonical)).isDirectory() ? canonical : null;
  } catch {
    return null;
  }
}

/** Null when there is nothing. */
async function look(path: string): Promise<FileStatus | null> {
  try {
    return statusOf(await lstat(path, { bigint: true }));
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** What no tool works on is refused while planning, so that nobody is asked about it. */
function refuseSpecial(status: FileStatus | null, asked: string): void {
  if (status === null) return;
  if (status.kind === 'other') throw violation(asked, 'it is a device, pipe or socket, not a regular file');
  if (status.kind === 'symlink') throw violation(asked, 'it became a link while it was checked');
  if (isSparseGiant(status)) throw violation(asked, SPARSE);
}

/** Goes from the open root to the folder that holds the path; `name` is null for the root itself. */
async function inFolderOf<T>(
  path: JailedPath,
  work: (folder: DirectoryHandle, name: string | null) => Promise<T>,
): Promise<T> {
  await using root = await DirectoryHandle.openRoot(path.root);
  const place = splitLast(path.relative);
  if (place === null) return await work(root, null);
  return await walk(root, place.folder, (folder) => work(folder, place.name));
}
