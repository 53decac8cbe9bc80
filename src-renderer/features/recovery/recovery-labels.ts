import type { RecoveredCall, RecoveryReport } from '#contract/window/recovery.js';
import { counted, formatWhen } from '../../ui/text/format.js';

/** A short true story, in one sentence. */
export function tellStory(report: RecoveryReport, now: number): string {
  const calls = report.batches.flatMap((batch) => batch.calls);
  const when =
    report.stoppedAt === null ? 'Gatehouse stopped' : `Gatehouse stopped at ${formatWhen(report.stoppedAt, now)}`;
  return `${when} while ${counted(calls.length, 'call was', 'calls were')} in progress.`;
}

export const FOUND_LABELS = {
  finished: { sign: '✓', words: 'Finished, result saved' },
  'not-started': { sign: '○', words: 'Not started' },
  'may-have-run': { sign: '?', words: 'May have run' },
} as const satisfies Record<RecoveredCall['foundAs'], unknown>;

/** Words the known state of the process of a call that may have run. */
export function describeProcess(call: RecoveredCall): string | null {
  switch (call.process) {
    case 'gone':
      return 'The process has ended.';
    case 'ended':
      return 'The process was still running and was ended.';
    case 'alive':
      return 'The process is still running and could not be ended. Check it before you go on.';
    case 'none':
    case null:
      return null;
  }
}
