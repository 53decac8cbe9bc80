import type { EffectSituation } from '../../../domain/ports/gate/approval-desk.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { ReadLog } from '../../../domain/ports/workspace/read-log.js';
import type { BatchRun } from './batch-run.js';

/** What the effect of a call is worked out in: the situation, and what those of its batch do that come before it. */
export const effectSituationOf = (
  { runs }: BatchRun,
  situation: PlanningSituation,
  readLog: ReadLog,
): EffectSituation => ({
  ...situation,
  readLog,
  readsBefore: (index, path) =>
    runs.some(({ stage, declared }) => {
      const call = stage.at === 'ready' || stage.at === 'executing' ? stage.call : null;
      if (call === null || declared.index >= index || call.tool.declaration.sideEffecting) return false;
      return call.judgement.files.some((file) => file.path === path);
    }),
  willRun: (callId) =>
    runs.some((run) => run.callId === callId && (run.stage.at === 'ready' || run.stage.at === 'executing')),
});
