import type { PlannedUndoFile } from '#contract/vocabulary/undo.js';
import type { ChangingCall, RemainingChanges } from '../../domain/ports/workspace/undo-store.js';
import type { Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { shownPath } from '../transaction/transaction-manifest.js';
import type { TransactionDeps } from '../transaction/workspace-transactions.js';
import { chainChanges, takeUnbroken } from './change-chains.js';
import { examineFile, readShownText, describeUndo } from './examine-file.js';
import { type RecordedChange, type LiveChanges, findLiveChanges } from './live-changes.js';

/** So much text is given of all files together; the others are named. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The changes of these calls that are still in effect, the latest call first. */
export async function listLiveChanges(
  parts: TransactionDeps,
  calls: readonly ChangingCall[],
): Promise<RemainingChanges> {
  const records = await readRecords(parts, calls);
  let left = MAX_TEXT_BYTES;
  const changes: RemainingChanges['files'][number][] = [];
  for (const links of findLiveChanges(records)) {
    const { file, broken } = chainChanges(links);
    const [before, after] =
      left > 0 ? [await readShownText(parts, file.before), await readShownText(parts, file.after)] : [null, null];
    left -= (before?.length ?? 0) + (after?.length ?? 0);
    changes.push({
      path: shownPath(file),
      folder: file.root,
      change: file.before === null ? 'created' : file.after === null ? 'deleted' : 'modified',
      before,
      after,
      callIds: idsOf(links),
      between: broken,
    });
  }
  return { files: changes, kept: new Set(records.map(({ callId }) => callId)) };
}

/**
 * Plans the undo of these calls. Where something else changed a file between two of them, it goes back to what that
 * made of it.
 */
export async function planUndo(
  parts: TransactionDeps,
  calls: readonly ChangingCall[],
  paths: readonly string[] | null,
  sandbox: Sandbox,
): Promise<readonly PlannedUndoFile[]> {
  const planned: PlannedUndoFile[] = [];
  for (const links of findLiveChanges(await readRecords(parts, calls))) {
    const { file } = links[0];
    if (paths !== null && !paths.includes(shownPath(file))) continue;
    const linked = takeUnbroken(links);
    const examined = await examineFile(chainChanges(linked).file, sandbox);
    planned.push({
      ...(await describeUndo(parts, examined)),
      callIds: idsOf(linked),
      partly: linked.length < links.length,
    });
  }
  return planned;
}

const idsOf = (links: LiveChanges): readonly string[] => links.map(({ record }) => record.callId);

/** Reads the records of the calls; calls of too long ago have none. */
async function readRecords(
  { manifests }: TransactionDeps,
  calls: readonly ChangingCall[],
): Promise<readonly RecordedChange[]> {
  const records: RecordedChange[] = [];
  for (const call of calls) {
    const record = await manifests.record(call.callId);
    if (record !== null) records.push({ ...call, record });
  }
  return records;
}
