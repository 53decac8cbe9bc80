import { dirname, join, relative as relativePath, resolve, sep } from 'node:path';
import type { JudgedRoot, PathState } from '../../domain/call/judgement.js';
import type { Config } from '#contract/vocabulary/config.js';
import { wouldMakeRepository } from '../../domain/sensitive/git-folder.js';
import { isControlFile } from '../../domain/sensitive/sensitive-places.js';
import type {
  FileFacts,
  JailedDirectory,
  JailedFile,
  JailedPath,
  IsObeyedPath,
  Sandbox,
} from '../../domain/ports/workspace/sandbox.js';
import { DirectoryHandle } from '../handles/directory-handle.js';
import { type FileStatus, identityOf, stateKey, statusOf } from '../handles/file-status.js';
import { pathExists, pathFromTop } from '../../platform/git/repository-top.js';
import { errnoOf, UnsafePathError } from '../handles/unsafe-path-error.js';
import { splitLast, walk, walkTo } from '../handles/walk.js';
import { unpatchedFs, unpatchedFsPromises } from '../../platform/files/unpatched-fs.js';
import { absolutePathFailure as absolutePath, checkAskedPath, checkIsPath } from './asked-path.js';
import { canonicalPath } from './canonical-path.js';
import { DeniedPatterns } from './denied-patterns.js';
import { OpenJailedDirectory } from './jailed-directory.js';
import { OpenJailedFile } from './jailed-file.js';
import { OwnData } from './own-data.js';
import { deniedFailure, outsideFailure, toFailure, violationFailure } from './refusals.js';
import { toRelativePath } from './relative-form.js';
import { findRoots, type RefusedRoot } from './roots.js';

const { lstat } = unpatchedFsPromises;

export type SandboxSettings = Config['tools']['sandbox'];

interface JailRoots {
  readonly roots: readonly string[];
  readonly refused: readonly RefusedRoot[];
}

export interface JailOptions {
  readonly ownRoots?: readonly string[] | null;
  readonly ownData?: string | null;
  /** Tells which paths from a root programs obey by more than their name; null where that is not known. */
  readonly findControlTargets?: (root: string) => Promise<IsObeyedPath | null>;
}

const OWN_DATA = 'it is in Gatehouse’s own data folder, which no tool touches';

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
  /** Roots of the configuration that allow nothing, and why. */
  readonly refusedRoots: readonly RefusedRoot[];
  readonly #own: OwnData | null;
  readonly #ownBelow: ReadonlyMap<string, (relative: string) => boolean>;
  readonly #denied: DeniedPatterns;
  /** The names that lead to each root from what holds it, with that one's own. */
  readonly #above: ReadonlyMap<string, string>;
  readonly #allowAbsolute: boolean;
  readonly #ledTo: NonNullable<JailOptions['findControlTargets']> | null;
  readonly #with: (settings: Partial<SandboxSettings>) => PathJail;
  #other: PathJail | null = null;

  private constructor(
    { roots, refused }: JailRoots,
    settings: SandboxSettings,
    own: OwnData | null,
    first: string,
    workspace: string,
    ledTo: NonNullable<JailOptions['findControlTargets']> | null,
  ) {
    this.#ledTo = ledTo;
    this.#with = (other) => new PathJail({ roots, refused }, { ...settings, ...other }, own, first, workspace, ledTo);
    this.workingDirectory = first;
    this.roots = roots;
    this.refusedRoots = refused;
    this.#own = own;
    const below = roots.map((root) => [root, own?.isBelow(root) ?? null] as const);
    this.#ownBelow = new Map(
      below.filter((each): each is readonly [string, (path: string) => boolean] => each[1] !== null),
    );
    this.#denied = new DeniedPatterns(settings.denied_patterns, settings.include_default_denies);
    this.#allowAbsolute = settings.allow_absolute;
    this.#above = new Map(roots.map((root) => [root, namesAbove(root, workspace)]));
  }

  /**
   * Roots are relative to the workspace, and canonical from here on. Throws when none of them is a folder. `ownRoots` are
   * the person's own where the settings in force hold a narrower list of the folder's; `ownData` is the app's own folder.
   */
  static async create(workspace: string, settings: SandboxSettings, bounds: JailOptions = {}): Promise<PathJail> {
    const { ownRoots = null, ownData = null, findControlTargets = null } = bounds;
    const inForce = settings.allowed_roots;
    const found = await findRoots(workspace, {
      own: ownRoots ?? inForce,
      folders: ownRoots === null ? null : inForce,
    });
    const own = ownData === null ? null : new OwnData(ownData);
    const roots = found.roots.filter((root) => own?.holds(root) !== true);
    const refused = [
      ...found.refused,
      ...found.roots.filter((root) => own?.holds(root) === true).map((asked) => ({ asked, why: OWN_DATA })),
    ];
    const [first] = roots;
    if (first === undefined) {
      const listed = refused.map(({ asked, why }) => `${asked}: ${why}`).join('; ') || 'none';
      throw new Error(`No folder of tools.sandbox.allowed_roots can be used in ${workspace} (${listed}).`);
    }
    const canonical = await canonicalPath(resolve(workspace));
    return new PathJail({ roots, refused }, settings, own, first, canonical, findControlTargets);
  }

  /** The same jail, for who may name absolute paths in it, or may not. */
  takingAbsolute(isAllowed: boolean): PathJail {
    return isAllowed === this.#allowAbsolute ? this : (this.#other ??= this.#with({ allow_absolute: isAllowed }));
  }

  async validate(written: string, roots?: readonly JudgedRoot[]): Promise<JailedPath> {
    // What is judged, shown and used is the one relative form, however it was asked.
    checkIsPath(written);
    const fromHere = await toRelativePath(written, this.workingDirectory);
    if (fromHere !== null && !this.#allowAbsolute) throw absolutePath(written, fromHere);
    checkAskedPath(written, this.#allowAbsolute);
    const asked = fromHere ?? written;
    try {
      const lexical = resolve(this.workingDirectory, asked);
      const absolute = await canonicalPath(lexical);
      if (this.#own?.holds(absolute) === true) throw violationFailure(asked, OWN_DATA);
      const root = this.#rootOf(absolute);
      if (root === null) throw outsideFailure(asked, 'it leads out of the workspace');
      const rootIs = roots === undefined ? identifyFolder(root) : (roots.find(({ path }) => path === root)?.is ?? GONE);
      const relative = below(root, absolute);
      this.#refuseDenied(asked, root, relative);
      // Also under the name that was asked: a denied name is denied even where it is a link to something harmless.
      if (lexical !== absolute) {
        const askedRoot = this.#rootOf(lexical);
        if (askedRoot !== null) this.#refuseDenied(asked, askedRoot, below(askedRoot, lexical));
      }
      refuseSpecial(readStatus(absolute), asked);
      return {
        absolute,
        relative,
        root,
        rootIs,
        asked,
        isControlFile:
          isControlFile(relative, this.#above.get(root)) ||
          isControlFile(asked.replaceAll('\\', '/')) ||
          wouldMakeRepository(relative, (path) => pathExists(join(root, path))),
      } as unknown as JailedPath;
    } catch (error) {
      throw toFailure(error, asked);
    }
  }

  async openFile(path: JailedPath): Promise<JailedFile> {
    try {
      return await inFolderOf(path, async (folder, name) => {
        if (name === null) throw new UnsafePathError('is-a-directory', path.asked, 'The root is a folder.');
        const file = await folder.openKnownFile(name);
        if (!isSparseGiant(file.facts)) return new OpenJailedFile(file, path.asked);
        await file.close();
        throw violationFailure(path.asked, SPARSE);
      });
    } catch (error) {
      throw toFailure(error, path.asked);
    }
  }

  openDirectory(path: JailedPath): Promise<JailedDirectory> {
    return this.#open(path, path.relative);
  }

  openFolderOf(path: JailedPath): Promise<JailedDirectory> {
    return this.#open(path, path.relative.slice(0, Math.max(0, path.relative.lastIndexOf('/'))));
  }

  async #open(path: JailedPath, relative: string): Promise<JailedDirectory> {
    try {
      const root = await DirectoryHandle.openKnownRoot(path.root, path.rootIs);
      if (relative === '') return new OpenJailedDirectory(root, path.asked);
      try {
        return new OpenJailedDirectory(await walkTo(root, relative), path.asked);
      } finally {
        await root.close();
      }
    } catch (error) {
      throw toFailure(error, path.asked);
    }
  }

  async facts(path: JailedPath): Promise<FileFacts | null> {
    try {
      return await inFolderOf(path, async (folder, name) =>
        name === null ? statusOf(await lstat(path.root, { bigint: true })) : folder.lstat(name),
      );
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      throw toFailure(error, path.asked);
    }
  }

  async findObeyedPaths(root: string): Promise<IsObeyedPath> {
    return this.#ledTo === null ? () => false : ((await this.#ledTo(root)) ?? (() => true));
  }

  inspectRoots(): readonly JudgedRoot[] {
    return this.roots.map((path) => ({ path, is: identifyFolder(path) }));
  }

  async inspectPath(path: JailedPath): Promise<PathState> {
    try {
      const there = readStatus(path.absolute);
      let folder = path.absolute === path.root ? path.root : dirname(path.absolute);
      let found = readStatus(folder);
      // What is missing will be made, in the innermost folder that is there.
      while (found?.kind !== 'dir' && folder !== path.root) {
        folder = dirname(folder);
        found = readStatus(folder);
      }
      const folderIs = found === null ? GONE : identityOf(found);
      const relative = below(path.root, folder);
      const above = [...wayTo(relative).map((name) => identifyFolder(join(path.root, name))), folderIs];
      return { folder: relative, folderIs, above, file: there === null ? null : stateKey(there) };
    } catch (error) {
      throw toFailure(error, path.asked);
    }
  }

  isDenied(relative: string, root?: string): boolean {
    const roots = root === undefined ? this.roots : [root];
    return roots.some(
      (each) => this.#ownBelow.get(each)?.(relative) === true || this.#denied.findDenying(each, relative) !== null,
    );
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
    const pattern = this.#denied.findDenying(root, relative);
    if (pattern !== null) throw deniedFailure(asked, pattern);
  }
}

function namesAbove(root: string, workspace: string): string {
  const way = pathFromTop(root, workspace);
  const names = root.split(sep);
  return names.slice(-1 - (way === '' ? 0 : way.split('/').length)).join('/');
}

/** No folder is this one. */
const GONE = 'gone';

/** Asked of the system directly: it holds the root open in its cache, and waiting for the thread pool takes longer. */
/** The folders above this one, the root first. */
const wayTo = (relative: string): readonly string[] =>
  relative === '' ? [] : relative.split('/').map((_name, at, names) => names.slice(0, at).join('/'));

function identifyFolder(path: string): string {
  try {
    const status = unpatchedFs.lstatSync(path, { bigint: true });
    if (!status.isDirectory()) return GONE;
    return identityOf({ device: status.dev, inode: status.ino, bornNs: status.birthtimeNs });
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

/** Null when there is nothing. Asked directly as well: whoever asks has just had the path resolved, so it is known there. */
function readStatus(path: string): FileStatus | null {
  try {
    return statusOf(unpatchedFs.lstatSync(path, { bigint: true }));
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Refuses while planning what no tool works on, so that nobody is asked about it. */
function refuseSpecial(status: FileStatus | null, asked: string): void {
  if (status === null) return;
  if (status.kind === 'other') throw violationFailure(asked, 'it is a device, pipe or socket, not a regular file');
  if (status.kind === 'symlink') throw violationFailure(asked, 'it became a link while it was checked');
  if (isSparseGiant(status)) throw violationFailure(asked, SPARSE);
}

/** Goes from the open root to the folder that holds the path; `name` is null for the root itself. */
async function inFolderOf<T>(
  path: JailedPath,
  work: (folder: DirectoryHandle, name: string | null) => Promise<T>,
): Promise<T> {
  await using root = await DirectoryHandle.openKnownRoot(path.root, path.rootIs);
  const place = splitLast(path.relative);
  if (place === null) return await work(root, null);
  return await walk(root, place.folder, (folder) => work(folder, place.name));
}
