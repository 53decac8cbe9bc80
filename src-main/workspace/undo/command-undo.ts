import type {
  CommandChange,
  CommandRecord,
  CommandUndo,
  FileState,
} from '../../domain/ports/workspace/command-undo.js';
import { failureAt } from '../transaction/failures.js';
import type { ImageRef, SimilarImage } from '../images/image-store.js';
import {
  type TransactionManifest,
  type ManifestFile,
  type NodeState,
  wasKept,
} from '../transaction/transaction-manifest.js';
import type { TransactionDeps } from '../transaction/workspace-transactions.js';

/** Records of what commands changed, from which undo takes it back as it does a transaction's. */
export function createCommandUndo(parts: TransactionDeps): CommandUndo {
  return {
    watch: (root) => parts.meanwhile.watch(root),
    wouldKeep: (content) => parts.images.keeps(content),
    keep: (record) => parts.mutex.run(() => keepRecord(parts, record)),
  };
}

async function keepRecord(parts: TransactionDeps, record: CommandRecord): Promise<ReadonlySet<string>> {
  const { images, manifests, options } = parts;
  const { callId, root } = record;
  let manifest: TransactionManifest | null = null;
  try {
    const files: ManifestFile[] = [];
    let segment: number | null = null;
    for await (const change of record.changes) {
      segment ??= await images.begin();
      const file = await storeFile(parts, root, change);
      if (file !== null) files.push(file);
    }
    if (segment === null) return new Set();
    await images.flush();
    await images.close();
    if (files.length > 0) {
      const folders = record.createdFolders.map((relative) => ({ root, relative }));
      const at = options.clock.now();
      const order = parts.nextOrder();
      const removed = record.removedFolders;
      manifest = {
        version: 1,
        callId,
        at,
        segment,
        files,
        folders,
        prunes: [],
        removed,
        leaves: record.leaves(),
        order,
      };
      await manifests.writeSettled(manifest);
    }
    await evictImages(parts);
    return new Set(files.map(({ relative }) => relative));
  } catch (error) {
    await images.discard().catch(() => undefined);
    if (manifest !== null) await manifests.forgetSettled(manifest).catch(() => undefined);
    throw failureAt('what is kept for undo', error);
  }
}

/** The record is kept whatever becomes of older ones. */
async function evictImages({ images, segmentsInUse, options }: TransactionDeps): Promise<void> {
  try {
    await images.evict(new Set(segmentsInUse.values()));
  } catch (error) {
    options.onProblem(`Tidying up what is kept for undo failed: ${failureAt('it', error).failure.message}`);
  }
}

/** Null where what was there is too large to be kept. */
async function storeFile(
  { images }: TransactionDeps,
  root: string,
  { relative, before, after, isSure }: CommandChange,
): Promise<ManifestFile | null> {
  const stateOf = async (state: FileState, near: SimilarImage | null): Promise<NodeState> => {
    const { sha256, size, mode, uid, gid, content } = state;
    const image: ImageRef | null =
      content === null || !(await images.keeps(content)) ? null : await images.add(content, sha256, near);
    return { kind: 'file', sha256, size, mode, uid, gid, image };
  };
  const was = before?.kind === 'file' ? await stateOf(before, null) : before;
  if (!wasKept(was)) return null;
  const near = before?.kind === 'file' ? { hash: before.sha256, content: before.content } : null;
  const is = after?.kind === 'file' ? await stateOf(after, near) : after;
  // What has no name to be rolled back to needs no temporary one.
  const file = { root, relative, asked: relative, temp: '', before: was, after: is };
  return isSure ? file : { ...file, mayBeOthers: true };
}
