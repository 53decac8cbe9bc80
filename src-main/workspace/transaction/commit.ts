import { randomBytes } from 'node:crypto';
import { countChangedLines } from '../../domain/text/line-changes.js';
import { buildFolderKey, type JudgedDestination } from '../../domain/ports/workspace/transaction.js';
import type { DirectoryHandle } from '../handles/directory-handle.js';
import { DirectoryHandle as Directory } from '../handles/directory-handle.js';
import { identityOf, stateKey } from '../handles/file-status.js';
import { errnoOf } from '../handles/unsafe-path-error.js';
import { splitLast, walk } from '../handles/walk.js';
import {
  alreadyExistsFailure,
  failureAt,
  hardLinkFailure,
  movedFolderFailure,
  notKeptFailure,
  staleFileFailure,
} from './failures.js';
import { findFoldersToPrune, visitFiles, type FileInRoot, findMissingFolders, splitFilePath } from './visit-files.js';
import { sha256 } from '../../platform/digest.js';
import type { ImageRef, ImageStore, SimilarImage } from '../images/image-store.js';
import { type TransactionManifest, type ManifestFile, type NodeState, shownPath } from './transaction-manifest.js';
import { manifestFileName, type ManifestStore } from './manifest-store.js';
import type { DiskAccess } from './transaction-steps.js';
import { readNode, placeTemp, type CurrentNode, type WantedNode, writeTemp } from './workspace-file.js';

/** One staged change. */
export interface StagedChange extends FileInRoot {
  readonly asked: string;
  readonly expected:
    { readonly kind: 'file'; readonly sha256: string } | { readonly kind: 'link'; readonly target: string } | null;
  /** A file without an owner takes that of the file it replaces; without a mode, likewise. Null: delete. */
  readonly wanted: WantedNode | null;
  /** How many of the folders above it, innermost first, go too if they are left empty. */
  readonly pruneFolders: number;
  /** Modes of folders above it that may have to be made, where they are not the umask's choice. */
  readonly folderModes?: ReadonlyMap<string, number>;
  /** The bytes that are expected, where they are at hand. */
  readonly current: Uint8Array | null;
  /** Tools change only files that may be written to. Undo puts back also what a command made read-only. */
  readonly access: 'read' | 'write';
  /** Where it was judged to go; null for what was judged by nobody (recovery). */
  readonly judged: JudgedDestination | null;
}

/**
 * The identities of the folders that the changes are in, by `folderKey`: the same ones from the first look to the last
 * name.
 */
type FolderIdentities = Map<string, string>;

export interface TransactionStores {
  readonly images: ImageStore;
  readonly manifests: ManifestStore;
  readonly disk: DiskAccess;
}

/** A change whose file was looked at, with the images kept. */
interface PreparedChange {
  readonly file: ManifestFile;
  readonly wanted: WantedNode | null;
  readonly access: StagedChange['access'];
}

/**
 * Reads every file as it is, refuses what is not as expected, and keeps the images. Nothing is written to the workspace.
 * Null when all of it is there already.
 */
export async function prepareCommit(
  callId: string,
  changes: readonly StagedChange[],
  at: { readonly time: number; readonly order: number },
  { images, manifests, disk }: TransactionStores,
  mustKeep: boolean,
): Promise<{
  readonly manifest: TransactionManifest;
  readonly prepared: readonly PreparedChange[];
  readonly places: FolderIdentities;
} | null> {
  const segment = await images.begin();
  const prepared = new Map<StagedChange, PreparedChange>();
  const places: FolderIdentities = new Map();
  let spares = 0;
  const keep = async (
    content: Uint8Array,
    hash: string,
    near: SimilarImage | null,
    needed: boolean,
  ): Promise<ImageRef | null> => {
    if (await images.keeps(content)) return images.add(content, hash, near);
    if (!needed) return null;
    if (mustKeep) throw notKeptFailure();
    const file = `${manifestFileName(callId)}.${(spares += 1)}.image`;
    await manifests.writeSpare(file, content);
    return { kind: 'spare', file };
  };
  await visitFiles(changes, (folder, change, name) =>
    nameFailures(change, async () => {
      await disk.step('inspect', change.relative);
      await refuseMovedFolder(folder, change, places);
      const seen = folder === null ? null : await firstLook(folder, name, change);
      refuseUnexpected(change, seen);
      refuseUnjudged(change, seen);
      const wanted = inheritMode(change.wanted, seen);
      if (isThere(seen, wanted)) return;
      const before = await stateOfSeen(seen, keep);
      const near = seen?.kind === 'file' ? { hash: seen.sha256, content: seen.content } : null;
      const after = await stateOfWanted(wanted, near, keep);
      const temp = `.gatehouse-${randomBytes(8).toString('hex')}.tmp`;
      const { root, relative, asked } = change;
      const lines = countChangedLines(seen, wanted);
      const file = { root, relative, asked, temp, before, after, ...(lines === null ? {} : { lines }) };
      prepared.set(change, { file, wanted, access: change.access });
    }),
  );
  if (prepared.size === 0) {
    await images.close();
    return null;
  }
  await images.flush();
  await images.close();
  const inOrder = changes.flatMap((change) => prepared.get(change) ?? []);
  const missing = await findMissingFolders(inOrder.filter(({ wanted }) => wanted !== null).map(({ file }) => file));
  await refuseMovedAbove(missing, changes);
  const modes = new Map(changes.flatMap(({ folderModes }) => [...(folderModes ?? [])]));
  const folders = missing.map((folder) => withMode(folder, modes.get(folder.relative)));
  const prunes = await findFoldersToPrune(changes.filter((change) => change.wanted === null && prepared.has(change)));
  const files = inOrder.map(({ file }) => file);
  const { time, order } = at;
  return {
    prepared: inOrder,
    places,
    manifest: { version: 1, callId, at: time, order, segment, files, folders, prunes },
  };
}

const withMode = (folder: FileInRoot, mode: number | undefined): TransactionManifest['folders'][number] =>
  mode === undefined ? folder : { ...folder, mode };

/** Does what the manifest says, which is durable by now. Whatever it throws, the manifest says how to put all back. */
export async function applyCommit(
  manifest: TransactionManifest,
  { prepared, places }: { readonly prepared: readonly PreparedChange[]; readonly places: FolderIdentities },
  disk: DiskAccess,
): Promise<ReadonlyMap<string, string>> {
  const made = await createFolders(manifest.folders, disk);
  for (const [key, is] of made) places.set(key, is);
  const writes = prepared.map((each) => ({ ...each.file, ...each }));
  await visitFiles(
    writes.filter(({ wanted }) => wanted !== null),
    (folder, { file, wanted }) =>
      nameFailures(file, async () => {
        await refuseReplacedFolder(requireFolder(folder), file, places);
        if (wanted !== null) await writeTemp(requireFolder(folder), file.temp, wanted, disk);
      }),
  );
  // For each file the last look comes right before its name changes.
  const last = async (folder: DirectoryHandle, name: string, each: PreparedChange): Promise<void> => {
    await refuseReplacedFolder(folder, each.file, places);
    await replace(folder, name, each, disk);
  };
  await visitFiles(
    writes,
    (folder, each, name) => nameFailures(each.file, () => last(requireFolder(folder), name, each)),
    {
      after: (folder) => syncHandle(folder, disk),
    },
  );
  for (const folder of manifest.prunes) await removeIfEmpty(folder, disk);
  return made;
}

/** Refuses a folder that is not the one that was judged, and keeps which it is. */
async function refuseMovedFolder(
  folder: DirectoryHandle | null,
  change: StagedChange,
  places: FolderIdentities,
): Promise<void> {
  const { root, judged } = change;
  const { folder: relative } = splitFilePath(change);
  if (folder === null) return;
  const is = identityOf(await folder.status());
  places.set(buildFolderKey(root, relative), is);
  if (judged === null) return;
  const same = judged.folder === relative ? judged.folderIs === is : judged.madeSince(relative, is);
  if (!same) throw movedFolderFailure(change);
}

/** Refuses to make missing folders anywhere but in the folder that was judged to be above them. */
async function refuseMovedAbove(missing: readonly FileInRoot[], changes: readonly StagedChange[]): Promise<void> {
  for (const { root, relative } of missing) {
    const above = splitLast(relative)?.folder ?? '';
    if (missing.some((other) => other.root === root && other.relative === above)) continue;
    await using rootHandle = await Directory.openRoot(root);
    const is = await walk(rootHandle, above, async (handle) => identityOf(await handle.status()));
    for (const change of changes) {
      const { judged } = change;
      if (judged === null || change.root !== root || !change.relative.startsWith(`${relative}/`)) continue;
      const same = judged.folder === above ? judged.folderIs === is : judged.madeSince(above, is);
      if (!same) throw movedFolderFailure(change);
    }
  }
}

/**
 * Refuses a folder that was replaced: between two steps of one commit it may be renamed and another put in its place.
 */
async function refuseReplacedFolder(
  folder: DirectoryHandle,
  file: FileInRoot,
  places: FolderIdentities,
): Promise<void> {
  const known = places.get(buildFolderKey(file.root, splitFilePath(file).folder));
  if (known !== undefined && known !== identityOf(await folder.status())) throw movedFolderFailure(file);
}

function refuseUnjudged(change: StagedChange, seen: CurrentNode): void {
  const stood = change.judged?.stood;
  if (stood === undefined) return;
  const now = seen?.kind === 'file' ? stateKey(seen.status) : null;
  if (now !== stood) throw staleFileFailure(shownPath(change));
}

async function replace(
  folder: DirectoryHandle,
  name: string,
  { file, wanted, access }: PreparedChange,
  disk: DiskAccess,
): Promise<void> {
  await disk.step('verify', file.relative);
  const { before } = file;
  const expected = before?.kind === 'file' ? { kind: before.kind, sha256: before.sha256 } : before;
  const seen = await readNode(folder, name, access);
  refuseUnexpected({ ...file, expected, wanted, pruneFolders: 0, current: null, access, judged: null }, seen);
  if (wanted !== null) await placeTemp(folder, file.temp, name, before !== null, disk);
  else {
    await disk.step('remove', file.relative);
    await folder.unlink(name);
  }
}

/** Not there, or something else is in it: then it stays as it is. */
const NOT_REMOVABLE = new Set(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

export async function removeIfEmpty({ root, relative }: FileInRoot, disk: DiskAccess): Promise<void> {
  const split = splitLast(relative);
  if (split === null) return;
  await disk.step('folder-remove', relative);
  try {
    await using rootHandle = await Directory.openRoot(root);
    await walk(rootHandle, split.folder, async (parent) => {
      await parent.rmdir(split.name);
      await syncHandle(parent, disk);
    });
  } catch (error) {
    if (!NOT_REMOVABLE.has(errnoOf(error) ?? '')) throw error;
  }
}

/** Bytes that are at hand are not read again: whether they are still true, the look before the change tells. */
async function firstLook(
  folder: DirectoryHandle,
  name: string,
  { expected, current, access }: StagedChange,
): Promise<CurrentNode> {
  if (expected?.kind !== 'file' || current === null) return readNode(folder, name, access);
  if (sha256(current) !== expected.sha256) return readNode(folder, name, access);
  const status = await folder.lstat(name).catch(() => null);
  if (status?.kind !== 'file' || status.size !== current.byteLength) return readNode(folder, name, access);
  return { kind: 'file', sha256: expected.sha256, content: current, status };
}

async function createFolders(
  folders: TransactionManifest['folders'],
  disk: DiskAccess,
): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>();
  for (const { root, relative, mode } of folders) {
    const split = splitLast(relative);
    if (split === null) continue;
    await nameFailures({ asked: relative, relative }, async () => {
      await using rootHandle = await Directory.openRoot(root);
      await walk(rootHandle, split.folder, async (parent) => {
        await disk.step('folder-create', relative);
        const above = made.get(buildFolderKey(root, split.folder));
        if (above !== undefined && above !== identityOf(await parent.status())) throw movedFolderFailure({ relative });
        await parent.mkdir(split.name, mode).catch((error: unknown) => {
          // The folder was missing a moment ago: who made it meanwhile may have put another one there.
          throw errnoOf(error) === 'EEXIST' ? movedFolderFailure({ relative }) : error;
        });
        await using child = await parent.openChild(split.name);
        made.set(buildFolderKey(root, relative), identityOf(await child.status()));
        await syncHandle(parent, disk);
      });
    });
  }
  return made;
}

export async function syncHandle(folder: DirectoryHandle, disk: DiskAccess): Promise<void> {
  await disk.step('folder-sync', '');
  if (disk.durable) await folder.sync();
}

function requireFolder(folder: DirectoryHandle | null): DirectoryHandle {
  if (folder === null) throw Object.assign(new Error('the folder is gone'), { code: 'ENOENT' });
  return folder;
}

/** Runs work on a file; any failure in it is reported with the file's name. */
async function nameFailures(
  file: { readonly asked: string; readonly relative: string },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw failureAt(shownPath(file), error);
  }
}

function refuseUnexpected(change: StagedChange, seen: CurrentNode): void {
  const path = shownPath(change);
  const { expected } = change;
  if (seen?.kind === 'file' && seen.status.links > 1) throw hardLinkFailure(path, seen.status.links);
  if (expected === null) {
    if (seen !== null) throw alreadyExistsFailure(path);
  } else if (expected.kind === 'file') {
    if (seen?.kind !== 'file' || seen.sha256 !== expected.sha256) throw staleFileFailure(path);
  } else if (seen?.kind !== 'link' || seen.target !== expected.target) throw staleFileFailure(path);
}

/** A replaced file keeps its mode and owner, unless others are wanted. */
function inheritMode(wanted: WantedNode | null, seen: CurrentNode): WantedNode | null {
  if (wanted?.kind !== 'file' || seen?.kind !== 'file') return wanted;
  const { mode, uid, gid } = seen.status;
  return { ...wanted, mode: wanted.mode ?? mode, owner: wanted.owner ?? { uid, gid } };
}

function isThere(seen: CurrentNode, wanted: WantedNode | null): boolean {
  if (seen === null || wanted === null) return seen === wanted;
  if (seen.kind === 'link' || wanted.kind === 'link') {
    return seen.kind === 'link' && wanted.kind === 'link' && seen.target === wanted.target;
  }
  const { status } = seen;
  if (seen.sha256 !== wanted.sha256 || (wanted.mode !== null && wanted.mode !== status.mode)) return false;
  return wanted.owner === null || (wanted.owner.uid === status.uid && wanted.owner.gid === status.gid);
}

type KeepImage = (
  content: Uint8Array,
  hash: string,
  near: SimilarImage | null,
  needed: boolean,
) => Promise<ImageRef | null>;

async function stateOfSeen(seen: CurrentNode, keep: KeepImage): Promise<NodeState | null> {
  if (seen?.kind !== 'file') return seen;
  const { mode, uid, gid } = seen.status;
  const image = await keep(seen.content, seen.sha256, null, true);
  return { kind: 'file', sha256: seen.sha256, size: seen.content.byteLength, mode, uid, gid, image };
}

async function stateOfWanted(
  wanted: WantedNode | null,
  near: SimilarImage | null,
  keep: KeepImage,
): Promise<NodeState | null> {
  if (wanted?.kind !== 'file') return wanted;
  const image = await keep(wanted.content, wanted.sha256, near, false);
  const { uid, gid } = wanted.owner ?? { uid: -1, gid: -1 };
  const size = wanted.content.byteLength;
  return { kind: 'file', sha256: wanted.sha256, size, mode: wanted.mode ?? -1, uid, gid, image };
}
