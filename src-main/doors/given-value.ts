import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { SourceKind } from '#contract/vocabulary/tools/sources.js';
import { isBuiltinTool, getToolSource } from '../domain/tool/tool-identity.js';
import { withText } from './structured-text.js';

/** Finds the kind of a source; null for one that is not there, and for our own tools. */
export type KindOf = (source: string) => SourceKind | null;

interface GivenResult {
  readonly summary: Pick<CallSummary, 'toolId'>;
  readonly result: { readonly structured: JsonObject | null; readonly content: string } | null;
}

/**
 * The value of a tool's result: structured where there is structure, otherwise its text. Our own tools' text is added
 * to their structure, as over MCP.
 */
export function givenValue({ summary: { toolId }, result }: GivenResult, kindOf: KindOf): unknown {
  if (result === null) return null;
  const { structured, content } = result;
  // Others have schemas of their own, which nothing is added to.
  if (structured !== null) return toolId !== null && isBuiltinTool(toolId) ? withText(structured, content) : structured;
  const kind = toolId === null ? null : kindOf(getToolSource(toolId));
  // What these give is JSON, an object or not.
  if (kind !== 'program' && kind !== 'openapi' && kind !== 'langchain') return content;
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return content;
  }
}
