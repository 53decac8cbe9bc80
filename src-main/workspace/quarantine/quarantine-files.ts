import { randomBytes } from 'node:crypto';
import { sha256 as sha256Of } from '../../platform/digest.js';
import type { QuarantinedFile } from '#contract/vocabulary/activity/quarantine.js';
import type { KnownState, ChangeToQuarantine } from '../../domain/ports/workspace/quarantine-store.js';
import { isQuarantined } from '../../domain/sensitive/sensitive-places.js';
import { DirectoryHandle } from '../handles/directory-handle.js';
import { errnoOf } from '../handles/unsafe-path-error.js';
import { splitLast, walk } from '../handles/walk.js';
import { removeIfEmpty, syncHandle } from '../transaction/commit.js';
import { failureAt } from '../transaction/failures.js';
import { ancestorsOf, visitFiles, splitFilePath } from '../transaction/visit-files.js';
import type { TransactionManifest, ManifestFile, NodeState } from '../transaction/transaction-manifest.js';
import { readNode, placeTemp, removeIfThere, type CurrentNode, writeTemp } from '../transaction/workspace-file.js';
import type { TransactionDeps } from '../transaction/workspace-transactions.js';
import { KEPT_OF_A_FILE } from '../../domain/size-bounds.js';

const MAX_BASELINE_BYTES = 32 * 1024 * 1024;
/**
 * The bytes kept of one command's quarantined files, bounded so that what is kept for undo is not crowded out. Larger
 * files are moved.
 */
const MAX_QUARANTINED_BYTES = 64 * 1024 * 1024;
/**
 * The folder that large files are moved to, in the workspace and so on the same file system: no program looks for
 * anything there.
 */
const MOVED_FOLDER = '.gatehouse-put-aside';

export const baselineId = (root: string): string => `known:${sha256Of(root)}`;
export const quarantineId = (callId: string, number: number): string => `aside:${callId}:${number}`;

type FileLookup =
  | { readonly kind: 'seen'; readonly seen: CurrentNode }
  /** A file without content: a pipe, a socket, a device. */
  | { readonly kind: 'special' }
  | { readonly kind: 'too-large' }
  /** A folder by now: what is in it counts by itself. */
  | { readonly kind: 'folder' };

async function lookUpFile(folder: DirectoryHandle | null, name: string, limit: number): Promise<FileLookup> {
  if (folder === null) return { kind: 'seen', seen: null };
  const status = await folder.lstat(name).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (status === null) return { kind: 'seen', seen: null };
  if (status.kind === 'dir') return { kind: 'folder' };
  if (status.kind === 'other') return { kind: 'special' };
  if (status.kind === 'file' && status.size > limit) return { kind: 'too-large' };
  return { kind: 'seen', seen: await readNode(folder, name, 'read') };
}

/** The bytes are in the images when this resolves, though not yet for certain on the disk. */
async function storeState({ images }: TransactionDeps, seen: CurrentNode): Promise<NodeState | null> {
  if (seen?.kind !== 'file') return seen;
  const { mode, uid, gid } = seen.status;
  const image = await images.add(seen.content, seen.sha256, null);
  return { kind: 'file', sha256: seen.sha256, size: seen.content.byteLength, mode, uid, gid, image };
}

export async function keepBaseline(
  parts: TransactionDeps,
  root: string,
  paths: readonly string[],
  asBefore: readonly string[],
): Promise<ReadonlyMap<string, KnownState>> {
  const { images } = parts;
  const last = asBefore.length === 0 ? null : await parts.manifests.record(baselineId(root));
  const files: ManifestFile[] = last?.files.filter(({ relative }) => asBefore.includes(relative)) ?? [];
  const unkept: string[] = last?.unkept?.filter((path) => asBefore.includes(path)) ?? [];
  const states = new Map(statesOfRecord({ files, unkept }));
  let left = MAX_BASELINE_BYTES;
  const segment = await images.begin();
  try {
    const wanted = paths.map((relative) => ({ root, relative }));
    await visitFiles(wanted, async (folder, { relative }, name) => {
      const found = await lookUpFile(folder, name, Math.min(KEPT_OF_A_FILE, left)).catch(
        () => ({ kind: 'special' }) as const,
      );
      const seen = found.kind === 'seen' ? found.seen : null;
      const fits = seen?.kind !== 'file' || (await images.keeps(seen.content));
      if (found.kind !== 'seen' || !fits) {
        unkept.push(relative);
        states.set(relative, { kind: 'unkept' });
        return;
      }
      if (seen === null) return;
      left -= seen.kind === 'file' ? seen.content.byteLength : 0;
      const before = await storeState(parts, seen);
      files.push({ root, relative, asked: relative, temp: '', before, after: null });
      if (seen.kind === 'link') states.set(relative, { kind: 'link', target: seen.target });
      else states.set(relative, { kind: 'file', sha256: seen.sha256, mode: seen.status.mode });
    });
    await images.flush();
    await images.close();
    await parts.manifests.writeSettled(buildRecord(parts, baselineId(root), segment, { files, unkept, moved: [] }));
    return states;
  } catch (error) {
    await images.discard().catch(() => undefined);
    throw failureAt('what is kept of files that other programs obey', error);
  }
}

export function statesOfRecord({
  files,
  unkept = [],
}: Pick<TransactionManifest, 'files' | 'unkept'>): ReadonlyMap<string, KnownState> {
  const states = new Map<string, KnownState>(unkept.map((path) => [path, { kind: 'unkept' }]));
  for (const { relative, before } of files) {
    if (before?.kind === 'file') states.set(relative, { kind: 'file', sha256: before.sha256, mode: before.mode });
    else if (before !== null) states.set(relative, { kind: 'link', target: before.target });
  }
  return states;
}

function buildRecord(
  parts: TransactionDeps,
  callId: string,
  segment: number,
  what: Required<Pick<TransactionManifest, 'files' | 'unkept' | 'moved'>>,
): TransactionManifest {
  const at = parts.options.clock.now();
  return { version: 1, callId, at, segment, folders: [], prunes: [], order: parts.nextOrder(), ...what };
}

interface PendingRemoval {
  readonly file: ManifestFile;
  readonly found: FileLookup;
  /** Where it is moved to, where it is not kept. */
  readonly to: string | null;
  note: string | null;
  /** True when it could not be removed: then nobody is told that it was. */
  stays?: boolean;
}

/**
 * Quarantines files in this order: the current content is stored durably; the file is renamed, so that no program looks
 * for it; the renamed file is compared with what was stored; it is removed; the content from before comes back.
 * Whatever ends the app in between, the next look finds what is left to do.
 */
export async function quarantineFiles(
  parts: TransactionDeps,
  callId: string,
  root: string,
  changes: readonly ChangeToQuarantine[],
  shownBelow = '',
): Promise<readonly QuarantinedFile[]> {
  const known = await parts.manifests.record(baselineId(root));
  const before = new Map(known?.files.map((file) => [file.relative, file.before]));
  // What a file tool made of it while the command ran is what comes back: that call was decided by itself.
  for (const { path } of changes) {
    const tools = parts.meanwhile.leftByTool(root, path);
    if (tools !== undefined) before.set(path, withModeOf(tools, before.get(path) ?? null));
  }
  const { taken, record } = await storeEntries(parts, callId, root, changes, before, shownBelow);
  // Not told to those who watch for file tools: what a command writes there again is the command's.
  await removeEntries(parts, callId, root, taken);
  for (const each of taken) {
    if (each.stays === true) continue;
    const failed = (message: string): void => {
      each.note = `What was there before could not be put back: ${message}`;
    };
    await catchFailure(each, () => restoreBaseline(parts, each.file), failed);
  }
  await removeEmptyFolders(parts, root, taken);
  const stayed = taken.filter(({ stays }) => stays).map(({ file }) => file.relative);
  if (record !== null && stayed.length > 0) await parts.manifests.writeSettled({ ...record, stayed });
  const wanted = new Map(changes.map(({ path, change }) => [path, change]));
  const gone = taken.filter(({ stays }) => stays !== true);
  const inOrder = gone.toSorted((a, b) => (a.file.relative < b.file.relative ? -1 : 1));
  return inOrder.map(({ file, note }) => ({
    path: file.relative,
    change: wanted.get(file.relative) ?? 'modified',
    ...(note === null ? {} : { note }),
  }));
}

const withModeOf = (state: NodeState | null, known: NodeState | null): NodeState | null =>
  state?.kind === 'file' && state.mode === -1 && known?.kind === 'file' ? { ...state, mode: known.mode } : state;

async function catchFailure(
  each: PendingRemoval,
  work: () => Promise<void>,
  failed: (message: string) => void,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    failed(failureAt(each.file.relative, error).failure.message);
  }
}

async function storeEntries(
  parts: TransactionDeps,
  callId: string,
  root: string,
  changes: readonly ChangeToQuarantine[],
  known: ReadonlyMap<string, NodeState | null>,
  shownBelow: string,
): Promise<{ readonly taken: readonly PendingRemoval[]; readonly record: TransactionManifest | null }> {
  const { images, manifests } = parts;
  let kept: TransactionManifest | null = null;
  const taken: PendingRemoval[] = [];
  let left = MAX_QUARANTINED_BYTES;
  let segment: number | null = await images.begin().catch(() => null);
  const wanted = changes.map(({ path }) => ({ root, relative: path }));
  await visitFiles(wanted, async (folder, { relative }, name) => {
    const found = await lookUpFile(folder, name, segment === null ? -1 : left).catch(
      () => ({ kind: 'too-large' }) as const,
    );
    if (found.kind === 'folder') return;
    const comesBack = known.get(relative) ?? null;
    // Nothing is left to do: it went meanwhile, or a tool has just made it what it is to be.
    if (found.kind === 'seen' && isThatState(found.seen, comesBack)) return;
    const content = found.kind === 'seen' && found.seen?.kind === 'file' ? found.seen.content : null;
    const fits = found.kind === 'seen' && (content === null || (await images.keeps(content)));
    left -= content?.byteLength ?? 0;
    const image =
      fits && found.kind === 'seen' ? await storeState(parts, found.seen).catch(() => 'failed' as const) : null;
    const moves = image === 'failed' || found.kind === 'too-large' || (found.kind === 'seen' && !fits);
    const temp = `.gatehouse-${randomBytes(8).toString('hex')}.aside`;
    const state = image === 'failed' ? null : image;
    const file = { root, relative, asked: `${shownBelow}${relative}`, temp, before: comesBack, after: state };
    const to = moves ? `${MOVED_FOLDER}/${callId.slice(0, 8)}-${randomBytes(4).toString('hex')}` : null;
    taken.push({ file, found, to, note: to === null ? null : `It is too large to be kept; it lies in ${to} now.` });
  });
  try {
    if (segment !== null) {
      await images.flush();
      await images.close();
      const moved = taken.flatMap(({ file, to }) => (to === null ? [] : [{ relative: file.relative, to }]));
      const unkept = taken.filter(({ found }) => found.kind === 'special').map(({ file }) => file.relative);
      const record = { files: taken.map(({ file }) => file), unkept, moved };
      kept = buildRecord(parts, await findNextId(parts, callId), segment, record);
      await manifests.writeSettled(kept);
    }
  } catch {
    await images.discard().catch(() => undefined);
    segment = null;
  }
  if (segment !== null) return { taken, record: kept };
  // Nothing could be kept, on a full disk perhaps. Moving needs no room, and loses nothing.
  const moving = taken.map((each) => {
    if (each.found.kind === 'special' || (each.found.kind === 'seen' && each.found.seen === null)) return each;
    const to = each.to ?? `${MOVED_FOLDER}/${callId.slice(0, 8)}-${randomBytes(4).toString('hex')}`;
    return { ...each, to, note: `No copy of it could be kept; it lies in ${to} now.` };
  });
  return { taken: moving, record: null };
}

function isThatState(seen: CurrentNode, state: NodeState | null): boolean {
  if (seen === null || state === null) return seen === state;
  if (!isKept(seen, state)) return false;
  if (seen.kind === 'link' || state.kind === 'link') return true;
  return state.mode === -1 ? (seen.status.mode & 0o7111) === 0 : seen.status.mode === state.mode;
}

async function findNextId({ manifests }: TransactionDeps, callId: string): Promise<string> {
  for (let number = 0; ; number += 1) {
    if ((await manifests.record(quarantineId(callId, number))) === null) return quarantineId(callId, number);
  }
}

async function removeEntries(
  parts: TransactionDeps,
  callId: string,
  root: string,
  taken: readonly PendingRemoval[],
): Promise<void> {
  await using rootHandle = await DirectoryHandle.openRoot(root);
  const places = taken.map((each) => ({ root, relative: each.file.relative, each }));
  await visitFiles(
    places,
    async (folder, { each }, name) => {
      if (folder === null || (each.found.kind === 'seen' && each.found.seen === null)) return;
      const work = () =>
        each.to === null
          ? removeStored(parts, callId, folder, name, each.file)
          : moveLarge(rootHandle, folder, name, each.to);
      await catchFailure(each, work, () => void (each.stays = true));
    },
    // One after the other: what has to be kept once more is appended to the images.
    { atOnce: 1, after: (folder) => syncHandle(folder, parts.disk) },
  );
}

async function removeStored(
  parts: TransactionDeps,
  callId: string,
  folder: DirectoryHandle,
  name: string,
  file: ManifestFile,
): Promise<void> {
  await parts.disk.step('remove', file.relative);
  await folder.rename(name, folder, file.temp).catch(ignoreMissing);
  // Whoever still writes may have written meanwhile: what is taken away for good is what was kept.
  const now = await lookUpFile(folder, file.temp, Number.MAX_SAFE_INTEGER);
  if (now.kind === 'seen' && now.seen !== null && !isKept(now.seen, file.after)) {
    await storeLateWrite(parts, callId, file, now.seen);
  }
  await parts.disk.step('place-cleanup', file.temp);
  await removeIfThere(folder, file.temp);
}

async function moveLarge(root: DirectoryHandle, folder: DirectoryHandle, name: string, to: string): Promise<void> {
  const target = splitLast(to);
  if (target === null) return;
  await walk(root, target.folder, (aside) => folder.rename(name, aside, target.name).catch(ignoreMissing), {
    create: 0o700,
  });
}

function isKept(seen: NonNullable<CurrentNode>, state: NodeState | null): boolean {
  if (seen.kind === 'link') return state?.kind === 'link' && state.target === seen.target;
  return state?.kind === 'file' && state.sha256 === seen.sha256;
}

async function storeLateWrite(
  parts: TransactionDeps,
  callId: string,
  file: ManifestFile,
  seen: NonNullable<CurrentNode>,
): Promise<void> {
  const { images, manifests } = parts;
  const segment = await images.begin();
  const after = await storeState(parts, seen);
  await images.flush();
  await images.close();
  const record = { files: [{ ...file, after }], unkept: [], moved: [] };
  await manifests.writeSettled(buildRecord(parts, await findNextId(parts, callId), segment, record));
}

async function restoreBaseline({ disk, images, manifests }: TransactionDeps, file: ManifestFile): Promise<void> {
  const { before, relative } = file;
  if (before === null || (before.kind === 'file' && before.image === null)) return;
  await using root = await DirectoryHandle.openRoot(file.root);
  const { folder: path, name } = splitFilePath(file);
  await walk(
    root,
    path,
    async (folder) => {
      await disk.step('restore-file', relative);
      if (before.kind === 'link') await writeTemp(folder, file.temp, before, disk);
      else if (before.image !== null) {
        const content = await images.read(before.image, manifests.folder);
        const { sha256, uid, gid } = before;
        // Mode and owner of a file that a tool made are the system's choice.
        const mode = before.mode === -1 ? null : before.mode;
        const owner = uid === -1 ? null : { uid, gid };
        await writeTemp(folder, file.temp, { kind: 'file', content, sha256, mode, owner }, disk);
      }
      try {
        await placeTemp(folder, file.temp, name, false, disk);
      } finally {
        await removeIfThere(folder, file.temp);
      }
      await syncHandle(folder, disk);
    },
    { create: 0o755 },
  );
}

/** Folders that hold nothing but what was taken away go too; those that others keep something in stay. */
async function removeEmptyFolders(
  { disk }: TransactionDeps,
  root: string,
  taken: readonly PendingRemoval[],
): Promise<void> {
  const folders = new Set(
    taken.flatMap(({ file }) => ancestorsOf(splitFilePath(file).folder).filter((each) => isQuarantined(each))),
  );
  for (const relative of [...folders].toSorted((a, b) => b.length - a.length)) {
    if (!isGitsOwn(relative)) await removeIfEmpty({ root, relative }, disk).catch(() => undefined);
  }
}

const isGitsOwn = (relative: string): boolean => /(?:^|\/)\.git$/iu.test(relative);

function ignoreMissing(error: unknown): void {
  if (errnoOf(error) !== 'ENOENT') throw error;
}
