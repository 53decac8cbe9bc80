import type { ChangingCall } from '../../domain/ports/workspace/undo-store.js';
import type { TransactionManifest } from '../transaction/transaction-manifest.js';
import { isUnchanged, chainChanges, fileKey, type CallChange } from './change-chains.js';

/** The changes of calls to one file that nobody undid, the latest first. */
export type LiveChanges = readonly [CallChange, ...CallChange[]];

/** A call with the record of what it changed. */
export interface RecordedChange extends ChangingCall {
  readonly record: TransactionManifest;
}

/**
 * Finds the changes of these calls that are still in effect, a file at a time. The calls come the latest first. A
 * change that another of them undid is gone, and an undo that was undone brings it back; changes that leave a file as
 * it was are left out. An undo of a call that is not among them is a change like any other.
 */
export function findLiveChanges(calls: readonly RecordedChange[]): readonly LiveChanges[] {
  const stands = new Map<string, readonly CallChange[]>();
  /** The links that each undo took away, by its id and the file. */
  const takenBy = new Map<string, readonly CallChange[]>();
  const known = new Set(calls.map(({ callId }) => callId));
  for (const { callId, undoes, record } of calls.toReversed()) {
    const undone = new Set(undoes.filter((each) => known.has(each)));
    for (const file of record.files) {
      const key = fileKey(file);
      const before = stands.get(key) ?? [];
      if (undone.size === 0) {
        stands.set(key, [...before, { record, file }]);
        continue;
      }
      const brought = [...undone].flatMap((each) => takenBy.get(`${each} ${key}`) ?? []);
      takenBy.set(
        `${callId} ${key}`,
        before.filter((link) => undone.has(link.record.callId)),
      );
      stands.set(key, [...before.filter((link) => !undone.has(link.record.callId)), ...brought]);
    }
  }
  const found: LiveChanges[] = [];
  for (const links of stands.values()) {
    const [latest, ...earlier] = links.toReversed();
    if (latest !== undefined && !isUnchanged(chainChanges([latest, ...earlier]).file)) found.push([latest, ...earlier]);
  }
  return found;
}
