import { dirname, join } from 'node:path/posix';
import { DirectoryHandle } from '../handles/directory-handle.js';
import { errnoOf, UnsafePathError } from '../handles/unsafe-path-error.js';
import { splitLast, walk } from '../handles/walk.js';
import { removeIfEmpty, type TransactionStores, syncHandle } from './commit.js';
import { groupBy, visitFiles, splitFilePath } from './visit-files.js';
import { ImageLockedError } from '../images/image-sealing.js';
import { type TransactionManifest, type ManifestFile, type NodeState, shownPath } from './transaction-manifest.js';
import type { DiskAccess } from './transaction-steps.js';
import { readNode, placeTemp, removeIfThere, type CurrentNode, type WantedNode, writeTemp } from './workspace-file.js';

/**
 * Puts back every file of the manifest, removes what was created, and forgets the manifest at the very end. May be cut
 * off anywhere and done again: it looks at what is there and does only what is left. A file that is neither as it was
 * before nor as the transaction made it belongs to somebody else by now, and is left alone; those are returned. One file
 * that can't be put back keeps no other from it: the first of what went wrong is thrown after all was tried.
 */
export async function rollBack(manifest: TransactionManifest, stores: TransactionStores): Promise<readonly string[]> {
  const { disk, manifests } = stores;
  await disk.step('restore-begin', manifest.callId);
  const leftAlone: string[] = [];
  const wrong: unknown[] = [];
  const goOn = (error: unknown): void => void wrong.push(error);
  const putBack = async (folder: DirectoryHandle | null, file: ManifestFile, name: string): Promise<void> => {
    await disk.step('restore-file', file.relative);
    const restored = folder === null ? file.before === null : await restore(folder, name, file, stores);
    if (!restored) leftAlone.push(shownPath(file));
  };
  for (const { root, relative, mode } of manifest.prunes.toReversed())
    await remakeFolder(root, relative, mode, stores).catch(goOn);
  const byFolder = groupBy(manifest.files.toReversed(), (file) => `${file.root}\0${splitFilePath(file).folder}`);
  for (const files of byFolder.values())
    await visitFiles(files, (folder, file, name) => putBack(folder, file, name).catch(goOn), {
      atOnce: 1,
      after: (folder) => syncHandle(folder, disk),
    }).catch(goOn);
  for (const folder of manifest.folders.toReversed()) await removeIfEmpty(folder, disk).catch(goOn);
  if (wrong.length > 0) throw wrong[0];
  await manifests.remove(manifest);
  return leftAlone;
}

/**
 * Reports, after a rollback that failed, the files that are as the transaction made them, and what else of it is left.
 */
export async function findNotRestored(
  { files, folders }: TransactionManifest,
  disk: DiskAccess,
): Promise<{ readonly files: readonly ManifestFile[]; readonly others: readonly string[] }> {
  const left: ManifestFile[] = [];
  const others: string[] = [];
  for (const file of files) {
    const { changed, temp } = await compareFile(file);
    if (changed) left.push(file);
    if (temp) others.push(join(dirname(shownPath(file)), file.temp));
  }
  for (const folder of folders.toReversed())
    await removeIfEmpty(folder, disk).catch(() => void others.push(folder.relative));
  return { files: left, others };
}

/** Compares one file with the manifest, and removes its temporary file where it can. A file that can't be looked at counts as changed. */
async function compareFile(file: ManifestFile): Promise<{ readonly changed: boolean; readonly temp: boolean }> {
  let [changed, temp] = [true, false];
  const compare = async (folder: DirectoryHandle | null, _file: ManifestFile, name: string): Promise<void> => {
    // The manifest that is kept has only the files that are changed: nobody looks for this one's temporary file later.
    if (folder !== null) await removeIfThere(folder, file.temp).catch(() => undefined);
    temp = folder !== null && (await readLeniently(folder, file.temp)) !== null;
    const seen = folder === null ? null : await readLeniently(folder, name);
    changed = seen !== 'foreign' && !isState(seen, file.before, file.after) && isState(seen, file.after, file.before);
  };
  await visitFiles([file], compare).catch(() => undefined);
  return { changed, temp };
}

/** False when somebody else changed it meanwhile. */
async function restore(
  folder: DirectoryHandle,
  name: string,
  file: ManifestFile,
  stores: TransactionStores,
): Promise<boolean> {
  await removeIfThere(folder, file.temp);
  const seen = await readLeniently(folder, name);
  if (seen === 'foreign') return false;
  if (isState(seen, file.before, file.after)) return true;
  if (!isState(seen, file.after, file.before)) return false;
  if (file.before === null) {
    await stores.disk.step('remove', file.relative);
    await folder.unlink(name);
    return true;
  }
  await stores.disk.step('restore-temp', file.relative);
  const wanted = await wantedOf(file.before, stores);
  if (wanted === null) return false;
  try {
    await writeTemp(folder, file.temp, wanted, stores.disk);
    await placeTemp(folder, file.temp, name, seen !== null, stores.disk);
  } catch (error) {
    await removeIfThere(folder, file.temp).catch(() => undefined);
    throw error;
  }
  return true;
}

/** A folder, a device, a giant: nothing that a transaction would have put there. */
async function readLeniently(folder: DirectoryHandle, name: string): Promise<CurrentNode | 'foreign'> {
  try {
    return await readNode(folder, name, 'read');
  } catch (error) {
    if (error instanceof UnsafePathError || errnoOf(error) === 'EFBIG') return 'foreign';
    throw error;
  }
}

/** Null where it was kept for an earlier run alone. */
async function wantedOf(state: NodeState, { images, manifests }: TransactionStores): Promise<WantedNode | null> {
  if (state.kind === 'link') return state;
  if (state.image === null) throw new Error(`what “${state.sha256}” was is not kept`);
  const content = await images.read(state.image, manifests.folder).catch((error: unknown) => {
    if (error instanceof ImageLockedError) return null;
    throw error;
  });
  if (content === null) return null;
  const owner = { uid: state.uid, gid: state.gid };
  return { kind: 'file', content, sha256: state.sha256, mode: state.mode, owner };
}

/** Modes tell the two sides apart only where the bytes don't. */
function isState(seen: CurrentNode, state: NodeState | null, other: NodeState | null): boolean {
  if (seen === null || state === null) return seen === state;
  if (seen.kind === 'link' || state.kind === 'link') {
    return seen.kind === 'link' && state.kind === 'link' && seen.target === state.target;
  }
  const sameBytes = other?.kind === 'file' && other.sha256 === state.sha256;
  return seen.sha256 === state.sha256 && (!sameBytes || seen.status.mode === state.mode);
}

/** Folders that went because they were empty: what is put back needs them. */
async function remakeFolder(root: string, relative: string, mode: number, { disk }: TransactionStores): Promise<void> {
  const split = splitLast(relative);
  if (split === null) return;
  await disk.step('folder-create', relative);
  try {
    await using rootHandle = await DirectoryHandle.openRoot(root);
    await walk(rootHandle, split.folder, async (parent) => {
      await parent.mkdir(split.name, mode);
      await syncHandle(parent, disk);
    });
  } catch (error) {
    const code = errnoOf(error);
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}
