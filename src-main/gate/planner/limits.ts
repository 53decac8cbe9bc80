import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DeclaredCall } from '../../domain/call/call-stages.js';

/** FR-LIM-03, counted as file-tools.md says: compact JSON, without what another limit bounds already. */
export function argumentBytes(args: JsonObject, boundedElsewhere: readonly string[]): number {
  const counted = Object.fromEntries(Object.entries(args).filter(([key]) => !boundedElsewhere.includes(key)));
  return Buffer.byteLength(JSON.stringify(counted));
}

export function tooLargeArguments(
  args: JsonObject,
  boundedElsewhere: readonly string[],
  limit: number,
): Failure | null {
  const bytes = argumentBytes(args, boundedElsewhere);
  if (bytes <= limit) return null;
  return {
    code: 'LimitsExceeded',
    message: `The arguments are ${bytes} bytes; the limit is ${limit}.`,
  };
}

/** FR-VAL-02a: a request id may be used once in a batch; the first one stands. */
export function duplicateIds(calls: readonly DeclaredCall[], known: ReadonlySet<string>): ReadonlySet<string> {
  const seen = new Set(known);
  const duplicates = new Set<string>();
  for (const call of calls) {
    if (call.requestId === null) continue;
    if (seen.has(call.requestId)) duplicates.add(call.callId);
    seen.add(call.requestId);
  }
  return duplicates;
}

export const duplicateId = (id: string): Failure => ({
  code: 'DuplicateToolCallId',
  message: `The tool call id “${id.slice(0, 100)}” is used twice in this batch.`,
});

export const tooManyCalls = (limit: number): Failure => ({
  code: 'LimitsExceeded',
  message: `Only ${limit} calls fit in one batch. Run this one separately.`,
});
