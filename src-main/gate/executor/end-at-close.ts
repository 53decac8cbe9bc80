import type { BatchRun } from './batch/batch-run.js';
import type { CallRun } from './batch/call-run.js';
import { isDetached } from './resume-calls.js';

/** The app closes: what is under way is ended, but for what outlives it and has not begun. Resolves when that is on record. */
export async function endCallsAtClose(
  batches: readonly BatchRun[],
  cancel: (batch: BatchRun, run: CallRun) => void,
): Promise<void> {
  const ends = batches.flatMap((batch) =>
    batch.runs
      // What hooks judge is on record, and would be unfinished work at the next start.
      .filter(
        ({ stage: { at }, declared, isOnRecord }) =>
          at === 'running' ||
          at === 'ending' ||
          ((at === 'ready' || (at === 'planning' && isOnRecord)) && !isDetached(declared)),
      )
      .map((run) => ({ batch, run })),
  );
  for (const { batch, run } of ends.filter((end) => end.run.stage.at === 'ready')) cancel(batch, run);
  for (const { batch, run } of ends) cancel(batch, run);
  await Promise.all(ends.map(({ run }) => run.settled));
  // A caller has its answer before what is kept for undo is in its place.
  const kept = (batch: BatchRun): boolean =>
    batch.runs.some(({ isSettled, declared }) => !isSettled && isDetached(declared));
  for (const batch of batches) if (!kept(batch)) await batch.draining;
}
