import type { ValidatedCall } from '../../../domain/call/call-stages.js';
import type { EffectSituation } from '../../../domain/ports/gate/approval-desk.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { ReadLog } from '../../../domain/ports/workspace/read-log.js';
import type { BatchRun } from './batch-run.js';
import { grantedCall } from './call-stage.js';

/** Builds the situation in which the effect of a call is worked out, with what the earlier calls of its batch do. */
export const effectSituationOf = (
  { runs }: BatchRun,
  situation: PlanningSituation,
  readLog: ReadLog,
): EffectSituation => ({
  ...situation,
  readLog,
  readsBefore: (index, path) =>
    mayRunBefore(runs, index).some(
      ({ tool, judgement }) => !tool.declaration.sideEffecting && judgement.files.some((file) => file.path === path),
    ),
  mayRunBefore: (index) => mayRunBefore(runs, index),
  isStillToRun: (callId) => runs.some((run) => run.callId === callId && grantedCall(run.stage) !== null),
});

const mayRunBefore = (runs: BatchRun['runs'], index: number): readonly ValidatedCall[] =>
  runs.flatMap(({ stage, declared }) => (declared.index < index ? (grantedCall(stage) ?? []) : []));
