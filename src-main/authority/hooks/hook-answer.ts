import { HOOK_DECISIONS, type HookDecision } from '#contract/vocabulary/hooks.js';
import { isJsonObject } from '#contract/vocabulary/json.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';

export type HookAnswer =
  | { readonly decision: HookDecision; readonly reason: string | null }
  /** Why it is no answer. */
  | { readonly wrong: string };

const MAX_REASON = 1000;

/**
 * Reads the answer of a hook before a call: nothing, or one JSON object with its decision. Anything else is no answer.
 */
export function parseHookAnswer(bytes: Uint8Array): HookAnswer {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
  } catch {
    return { wrong: 'its answer is not text' };
  }
  if (text === '') return { decision: 'allow', reason: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { wrong: 'its answer is not one JSON object' };
  }
  if (!isJsonObject(value)) return { wrong: 'its answer is not one JSON object' };
  // A parser takes the last of two; which was meant, nobody knows.
  if ([...text.matchAll(/(?<!\\)"decision"\s*:/gu)].length > 1) return { wrong: 'it gives two decisions' };
  const decision = HOOK_DECISIONS.find((each) => Object.hasOwn(value, 'decision') && each === value['decision']);
  if (decision === undefined) return { wrong: 'its decision is not allow, ask or deny' };
  const reason = Object.hasOwn(value, 'reason') ? value['reason'] : null;
  if (reason !== null && typeof reason !== 'string') return { wrong: 'its reason is not text' };
  const shown = reason === null ? '' : toVisibleLine(reason.trim(), MAX_REASON);
  return { decision, reason: shown === '' ? null : shown };
}
