import { parseJson } from '#contract/vocabulary/text/json-text.js';
import type { BridgeError, BridgeResult } from '#contract/window/result.js';
import type { Json } from '#contract/vocabulary/json.js';

export const done = <T>(value: T): BridgeResult<T> => ({ ok: true, value });
export const nothing: BridgeResult<null> = { ok: true, value: null };
export const refuse = (code: BridgeError['code'], message: string): BridgeResult<never> => ({
  ok: false,
  error: { code, message },
});

/** Makes an answer of a problem in words, or of null where there is none. */
export const answerProblem = (problem: string | null): BridgeResult<null> =>
  problem === null ? nothing : refuse('refused', problem);

/** Parses JSON that the person typed or the window made. The message says where it is wrong. */
export function parseJsonText(
  text: string,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly error: BridgeResult<never> } {
  const parsed = parseJson(text);
  return parsed.ok ? parsed : { ok: false, error: refuse('bad-request', `This is not JSON. ${parsed.message}`) };
}
