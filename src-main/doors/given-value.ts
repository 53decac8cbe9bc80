import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { SourceKind } from '#contract/vocabulary/tools/sources.js';
import { sourceOf } from '../domain/tool/tool-identity.js';

/** Of which kind a source is; null for one that is not there, and for our own tools. */
export type KindOf = (source: string) => SourceKind | null;

interface Gave {
  readonly summary: Pick<CallSummary, 'toolId'>;
  readonly result: { readonly structured: JsonObject | null; readonly content: string } | null;
}

/** What a tool gave: a value where it is one, else its text. */
export function givenValue({ summary: { toolId }, result }: Gave, kindOf: KindOf): unknown {
  if (result === null) return null;
  if (result.structured !== null) return result.structured;
  const kind = toolId === null ? null : kindOf(sourceOf(toolId));
  // What these give is JSON, an object or not.
  if (kind !== 'program' && kind !== 'openapi' && kind !== 'langchain') return result.content;
  try {
    return JSON.parse(result.content) as unknown;
  } catch {
    return result.content;
  }
}
