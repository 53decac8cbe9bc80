import { randomBytes } from 'node:crypto';
import { linesBetween } from '../../domain/text/line-changes.js';
import { buildFolderKey, type JudgedDestination } from '../../domain/ports/workspace/transaction.js';
import type { DirectoryHandle } from '../handles/directory-handle.js';
import { DirectoryHandle as Directory } from '../handles/directory-handle.js';
import { identityOf, stateOf } from '../handles/file-status.js';
import { errnoOf } from '../handles/unsafe-path-error.js';
import { splitLast, walk } from '../handles/walk.js';
import { alreadyExists, failureAt, hardLinked, movedFolder, notKept, staleFile } from './failures.js';
import { foldersToPrune, inFolders, type InFolder, missingFolders, placeOf } from './folders.js';
import { sha256 } from '../../platform/digest.js';
import type { ImageRef, ImageStore, Near } from '../images/image-store.js';
import { type Manifest, type ManifestFile, type NodeState, shownPath } from './manifest.js';
import { fileNameOf, type ManifestStore } from './manifest-store.js';
import type { Disk } from './steps.js';
import { look, place, type Seen, type Wanted, writeTemp } from './workspace-file.js';

/** One staged change. */
export interface Change extends InFolder {
  readonly asked: string;
  readonly expected:
    { readonly kind: 'file'; readonly sha256: string } | { readonly kind: 'link'; readonly target: string } | null;
  /** A file without an owner takes that of the file it replaces; without a mode, likewise. Null: delete. */
  readonly wanted: Wanted | null;
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
type Places = Map<string, string>;

export interface Stores {
  readonly images: ImageStore;
  readonly manifests: ManifestStore;
  readonly disk: Disk;
}

/** A change whose file was looked at, with the images kept. */
interface Prepared {
  readonly file: ManifestFile;
  readonly wanted: Wanted | null;
  readonly access: Change['access'];
}

/**
 * Reads every file as it is, refuses what is not as expected, and keeps the images. Nothing is written to the workspace.
 * Null when all of it is there already.
 */
export async function prepare(
  callId: string,
  changes: readonly Change[],
  at: { readonly time: number; readonly order: number },
  { images, manifests, disk }: Stores,
  mustKeep: boolean,
): Promise<{ readonly manifest: Manifest; readonly prepared: readonly Prepared[]; readonly places: Places } | null> {
  const segment = await images.begin();
  const prepared = new Map<Change, Prepared>();
  const places: Places = new Map();
  let spares = 0;
  const keep = async (
    content: Uint8Array,
    hash: string,
    near: Near | null,
    needed: boolean,
  ): Promise<ImageRef | null> => {
    if (await images.keeps(content)) return images.add(content, hash, near);
    if (!needed) return null;
    if (mustKeep) throw notKept();
    const file = `${fileNameOf(callId)}.${(spares += 1)}.image`;
    await manifests.writeSpare(file, content);
    return { kind: 'spare', file };
  };
  await inFolders(changes, (folder, change, name) =>
    named(change, async () => {
      await disk.step('inspect', change.relative);
      await samePlace(folder, change, places);
      const seen = folder === null ? null : await firstLook(folder, name, change);
      refuseUnexpected(change, seen);
      refuseUnjudged(change, seen);
      const wanted = complete(change.wanted, seen);
      if (isThere(seen, wanted)) return;
      const before = await stateOfSeen(seen, keep);
      const near = seen?.kind === 'file' ? { hash: seen.sha256, content: seen.content } : null;
      const after = await stateOfWanted(wanted, near, keep);
      const temp = `.gatehouse-${randomBytes(8).toString('hex')}.tmp`;
      const { root, relative, asked } = change;
      const lines = linesBetween(seen, wanted);
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
  const missing = await missingFolders(inOrder.filter(({ wanted }) => wanted !== null).map(({ file }) => file));
  await refuseMovedAbove(missing, changes);
  const modes = new Map(changes.flatMap(({ folderModes }) => [...(folderModes ?? [])]));
  const folders = missing.map((folder) => withMode(folder, modes.get(folder.relative)));
  const prunes = await foldersToPrune(changes.filter((change) => change.wanted === null && prepared.has(change)));
  const files = inOrder.map(({ file }) => file);
  const { time, order } = at;
  return {
    prepared: inOrder,
    places,
    manifest: { version: 1, callId, at: time, order, segment, files, folders, prunes },
  };
}

const withMode = (folder: InFolder, mode: number | undefined): Manifest['folders'][number] =>
  mode === undefined ? folder : { ...folder, mode };

/** Does what the manifest says, which is durable by now. Whatever it throws, the manifest says how to put all back. */
export async function apply(
  manifest: Manifest,
  { prepared, places }: { readonly prepared: readonly Prepared[]; readonly places: Places },
  disk: Disk,
): Promise<ReadonlyMap<string, string>> {
  const made = await createFolders(manifest.folders, disk);
  for (const [key, is] of made) places.set(key, is);
  const writes = prepared.map((each) => ({ ...each.file, ...each }));
  await inFolders(
    writes.filter(({ wanted }) => wanted !== null),
    (folder, { file, wanted }) =>
      named(file, async () => {
        await stillThere(existing(folder), file, places);
        if (wanted !== null) await writeTemp(existing(folder), file.temp, wanted, disk);
      }),
  );
  // For each file the last look comes right before its name changes.
  const last = async (folder: DirectoryHandle, name: string, each: Prepared): Promise<void> => {
    await stillThere(folder, each.file, places);
    await replace(folder, name, each, disk);
  };
  await inFolders(writes, (folder, each, name) => named(each.file, () => last(existing(folder), name, each)), {
    after: (folder) => syncOf(folder, disk),
  });
  for (const folder of manifest.prunes) await removeIfEmpty(folder, disk);
  return made;
}

/** Refuses a folder that is not the one that was judged, and keeps which it is. */
async function samePlace(folder: DirectoryHandle | null, change: Change, places: Places): Promise<void> {
  const { root, judged } = change;
  const { folder: relative } = placeOf(change);
  if (folder === null) return;
  const is = identityOf(await folder.status());
  places.set(buildFolderKey(root, relative), is);
  if (judged === null) return;
  const same = judged.folder === relative ? judged.folderIs === is : judged.madeSince(relative, is);
  if (!same) throw movedFolder(change);
}

/** Refuses to make missing folders anywhere but in the folder that was judged to be above them. */
async function refuseMovedAbove(missing: readonly InFolder[], changes: readonly Change[]): Promise<void> {
  for (const { root, relative } of missing) {
    const above = splitLast(relative)?.folder ?? '';
    if (missing.some((other) => other.root === root && other.relative === above)) continue;
    await using rootHandle = await Directory.openRoot(root);
    const is = await walk(rootHandle, above, async (handle) => identityOf(await handle.status()));
    for (const change of changes) {
      const { judged } = change;
      if (judged === null || change.root !== root || !change.relative.startsWith(`${relative}/`)) continue;
      const same = judged.folder === above ? judged.folderIs === is : judged.madeSince(above, is);
      if (!same) throw movedFolder(change);
    }
  }
}

/**
 * Refuses a folder that was replaced: between two steps of one commit it may be renamed and another put in its place.
 */
async function stillThere(folder: DirectoryHandle, file: InFolder, places: Places): Promise<void> {
  const known = places.get(buildFolderKey(file.root, placeOf(file).folder));
  if (known !== undefined && known !== identityOf(await folder.status())) throw movedFolder(file);
}

function refuseUnjudged(change: Change, seen: Seen): void {
  const stood = change.judged?.stood;
  if (stood === undefined) return;
  const now = seen?.kind === 'file' ? stateOf(seen.status) : null;
  if (now !== stood) throw staleFile(shownPath(change));
}

async function replace(
  folder: DirectoryHandle,
  name: string,
  { file, wanted, access }: Prepared,
  disk: Disk,
): Promise<void> {
  await disk.step('verify', file.relative);
  const { before } = file;
  const expected = before?.kind === 'file' ? { kind: before.kind, sha256: before.sha256 } : before;
  const seen = await look(folder, name, access);
  refuseUnexpected({ ...file, expected, wanted, pruneFolders: 0, current: null, access, judged: null }, seen);
  if (wanted !== null) await place(folder, file.temp, name, before !== null, disk);
  else {
    await disk.step('remove', file.relative);
    await folder.unlink(name);
  }
}

/** Not there, or something else is in it: then it stays as it is. */
const STAYS = new Set(['ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR']);

export async function removeIfEmpty({ root, relative }: InFolder, disk: Disk): Promise<void> {
  const split = splitLast(relative);
  if (split === null) return;
  await disk.step('folder-remove', relative);
  try {
    await using rootHandle = await Directory.openRoot(root);
    await walk(rootHandle, split.folder, async (parent) => {
      await parent.rmdir(split.name);
      await syncOf(parent, disk);
    });
  } catch (error) {
    if (!STAYS.has(errnoOf(error) ?? '')) throw error;
  }
}

/** Bytes that are at hand are not read again: whether they are still true, the look before the change tells. */
async function firstLook(folder: DirectoryHandle, name: string, { expected, current, access }: Change): Promise<Seen> {
  if (expected?.kind !== 'file' || current === null) return look(folder, name, access);
  if (sha256(current) !== expected.sha256) return look(folder, name, access);
  const status = await folder.lstat(name).catch(() => null);
  if (status?.kind !== 'file' || status.size !== current.byteLength) return look(folder, name, access);
  return { kind: 'file', sha256: expected.sha256, content: current, status };
}

async function createFolders(folders: Manifest['folders'], disk: Disk): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>();
  for (const { root, relative, mode } of folders) {
    const split = splitLast(relative);
    if (split === null) continue;
    await named({ asked: relative, relative }, async () => {
      await using rootHandle = await Directory.openRoot(root);
      await walk(rootHandle, split.folder, async (parent) => {
        await disk.step('folder-create', relative);
        const above = made.get(buildFolderKey(root, split.folder));
        if (above !== undefined && above !== identityOf(await parent.status())) throw movedFolder({ relative });
        await parent.mkdir(split.name, mode).catch((error: unknown) => {
          // It was missing a moment ago: who made it meanwhile may have put another folder there.
          throw errnoOf(error) === 'EEXIST' ? movedFolder({ relative }) : error;
        });
        await using child = await parent.openChild(split.name);
        made.set(buildFolderKey(root, relative), identityOf(await child.status()));
        await syncOf(parent, disk);
      });
    });
  }
  return made;
}

export async function syncOf(folder: DirectoryHandle, disk: Disk): Promise<void> {
  await disk.step('folder-sync', '');
  if (disk.durable) await folder.sync();
}

function existing(folder: DirectoryHandle | null): DirectoryHandle {
  if (folder === null) throw Object.assign(new Error('the folder is gone'), { code: 'ENOENT' });
  return folder;
}

/** Runs work on a file; any failure in it is reported with the file's name. */
async function named(
  file: { readonly asked: string; readonly relative: string },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw failureAt(shownPath(file), error);
  }
}

function refuseUnexpected(change: Change, seen: Seen): void {
  const path = shownPath(change);
  const { expected } = change;
  if (seen?.kind === 'file' && seen.status.links > 1) throw hardLinked(path, seen.status.links);
  if (expected === null) {
    if (seen !== null) throw alreadyExists(path);
  } else if (expected.kind === 'file') {
    if (seen?.kind !== 'file' || seen.sha256 !== expected.sha256) throw staleFile(path);
  } else if (seen?.kind !== 'link' || seen.target !== expected.target) throw staleFile(path);
}

/** A replaced file keeps its mode and owner, unless others are wanted. */
function complete(wanted: Wanted | null, seen: Seen): Wanted | null {
  if (wanted?.kind !== 'file' || seen?.kind !== 'file') return wanted;
  const { mode, uid, gid } = seen.status;
  return { ...wanted, mode: wanted.mode ?? mode, owner: wanted.owner ?? { uid, gid } };
}

function isThere(seen: Seen, wanted: Wanted | null): boolean {
  if (seen === null || wanted === null) return seen === wanted;
  if (seen.kind === 'link' || wanted.kind === 'link') {
    return seen.kind === 'link' && wanted.kind === 'link' && seen.target === wanted.target;
  }
  const { status } = seen;
  if (seen.sha256 !== wanted.sha256 || (wanted.mode !== null && wanted.mode !== status.mode)) return false;
  return wanted.owner === null || (wanted.owner.uid === status.uid && wanted.owner.gid === status.gid);
}

type Keep = (content: Uint8Array, hash: string, near: Near | null, needed: boolean) => Promise<ImageRef | null>;

async function stateOfSeen(seen: Seen, keep: Keep): Promise<NodeState | null> {
  if (seen?.kind !== 'file') return seen;
  const { mode, uid, gid } = seen.status;
  const image = await keep(seen.content, seen.sha256, null, true);
  return { kind: 'file', sha256: seen.sha256, size: seen.content.byteLength, mode, uid, gid, image };
}

async function stateOfWanted(wanted: Wanted | null, near: Near | null, keep: Keep): Promise<NodeState | null> {
  if (wanted?.kind !== 'file') return wanted;
  const image = await keep(wanted.content, wanted.sha256, near, false);
  const { uid, gid } = wanted.owner ?? { uid: -1, gid: -1 };
  const size = wanted.content.byteLength;
  return { kind: 'file', sha256: wanted.sha256, size, mode: wanted.mode ?? -1, uid, gid, image };
}
