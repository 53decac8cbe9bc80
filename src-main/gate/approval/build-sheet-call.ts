import type { Effect } from '#contract/vocabulary/effects.js';
import { withJudgement } from '../../domain/call/call-stages.js';
import type { CallForApproval, EffectSituation } from '../../domain/ports/gate/approval-desk.js';
import { type EffectContext, type EarlierEffects, narrowPlanContext, ToolFailure } from '../../domain/tool/tool.js';
import type { SheetCall } from './sheet-call.js';

const EFFECT_TIMEOUT_MS = 5000;
const TOO_LONG: Effect = {
  kind: 'problem',
  message: 'This takes too long to preview. The arguments are shown instead.',
};

/**
 * Works out the effect of a call and judges the call on that too: the files that are shown are those that it may
 * change. The effect assumes that the earlier calls of its batch have run.
 */
export async function buildSheetCall(
  asked: CallForApproval,
  situation: EffectSituation,
  others: readonly SheetCall[],
): Promise<SheetCall> {
  const { call } = asked;
  const shown: Record<string, string | null> = {};
  const leaves = new Map<string, Uint8Array | null>();
  const shows: EffectContext<'files'>['shows'] = ({ absolute }, sha256, after) => {
    shown[absolute] = sha256;
    leaves.set(absolute, after);
  };
  const earlier = others.filter((each) => each.asked.call.index < call.index);
  const foreseen: EarlierEffects = {
    content: (path) => earlier.findLast((each) => each.leaves.has(path))?.leaves.get(path),
    isRead: (path) => earlier.some((each) => isRead(each, path)) || situation.readsBefore(call.index, path),
  };
  const { effect, known } = await computeEffect(asked, { ...situation, shows, foreseen });
  // Where nothing could be worked out in time, the arguments are what is approved.
  const judgement = {
    ...call.judgement,
    shown: known && effect.kind !== 'arguments' && effect.kind !== 'command' ? shown : null,
  };
  return { asked: { ...asked, call: withJudgement(call, judgement) }, effect, drawnAs: judgement, leaves };
}

const isRead = ({ asked: { call } }: SheetCall, path: string): boolean =>
  call.tool.declaration.nature === 'reads' && call.judgement.files.some((file) => file.path === path);

/**
 * Computes the effect within a time limit, so that a tool that can't say does not keep the sheet from opening; `known`
 * is false then.
 */
async function computeEffect(
  { call }: CallForApproval,
  context: EffectContext<'files'>,
): Promise<{ readonly effect: Effect; readonly known: boolean }> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), EFFECT_TIMEOUT_MS);
  });
  try {
    const effect = await Promise.race([
      call.tool.effect(call.parsed, narrowPlanContext(call.tool.declaration.nature, context), call.understood),
      tooLong,
    ]);
    return effect === null ? { effect: TOO_LONG, known: false } : { effect, known: true };
  } catch (error) {
    const message = error instanceof ToolFailure ? error.message : 'This can’t be previewed.';
    return { effect: { kind: 'problem', message }, known: true };
  } finally {
    clearTimeout(timer);
  }
}
