import type { PlannedUndoFile } from '#contract/vocabulary/undo.js';
import type { ChangingCall, RemainingChanges } from '../../domain/ports/workspace/undo-store.js';
import type { Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { shownPath } from '../transaction/manifest.js';
import type { TransactionParts } from '../transaction/workspace-transactions.js';
import { chainOf, unbroken } from './chains.js';
import { examine, shown, undoFileOf } from './examine.js';
import { type RecordedChange, type Standing, standingOf } from './standing.js';

/** So much text is given of all files together; the others are named. */
const TEXT_GIVEN = 4 * 1024 * 1024;

/** The changes of these calls that are still in effect, the latest call first. */
export async function changesOf(parts: TransactionParts, calls: readonly ChangingCall[]): Promise<RemainingChanges> {
  const records = await recordsOf(parts, calls);
  let left = TEXT_GIVEN;
  const changes: RemainingChanges['files'][number][] = [];
  for (const links of standingOf(records)) {
    const { file, broken } = chainOf(links);
    const [before, after] = left > 0 ? [await shown(parts, file.before), await shown(parts, file.after)] : [null, null];
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
export async function planOf(
  parts: TransactionParts,
  calls: readonly ChangingCall[],
  paths: readonly string[] | null,
  sandbox: Sandbox,
): Promise<readonly PlannedUndoFile[]> {
  const planned: PlannedUndoFile[] = [];
  for (const links of standingOf(await recordsOf(parts, calls))) {
    const { file } = links[0];
    if (paths !== null && !paths.includes(shownPath(file))) continue;
    const linked = unbroken(links);
    const examined = await examine(chainOf(linked).file, sandbox);
    planned.push({
      ...(await undoFileOf(parts, examined)),
      callIds: idsOf(linked),
      partly: linked.length < links.length,
    });
  }
  return planned;
}

const idsOf = (links: Standing): readonly string[] => links.map(({ record }) => record.callId);

/** Reads the records of the calls; calls of too long ago have none. */
async function recordsOf(
  { manifests }: TransactionParts,
  calls: readonly ChangingCall[],
): Promise<readonly RecordedChange[]> {
  const records: RecordedChange[] = [];
  for (const call of calls) {
    const record = await manifests.record(call.callId);
    if (record !== null) records.push({ ...call, record });
  }
  return records;
}
