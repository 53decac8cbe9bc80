import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { Redact } from './redaction.js';

/** The head and tail of a long text that are searched: indexing happens inside the append, which must stay short. */
const HEAD_LENGTH = 48_000;
const TAIL_LENGTH = 16_000;

export interface SearchableCall {
  readonly tool: string;
  readonly summary: string;
  readonly reason: string | null;
  /** JSON. */
  readonly arguments: string;
  readonly result: string | null;
  /** JSON. */
  readonly changedFiles: string;
}

export type IndexText = readonly [tool: string, args: string, result: string, files: string, reason: string];

/** The text that search finds a call by, redacted. */
export function buildIndexText(call: SearchableCall, redact: Redact): IndexText {
  const files = (JSON.parse(call.changedFiles) as readonly ChangedFile[]).map((file) => file.path).join('\n');
  const summary = redactText(call.summary, redact);
  return [
    call.tool,
    headAndTail(`${summary}\n${argumentText(call.arguments, redact)}`),
    redactText(headAndTail(call.result ?? ''), redact),
    headAndTail(files),
    redactText(headAndTail(call.reason ?? ''), redact),
  ];
}

/**
 * A person's words as an FTS5 query: every word must be there, in any order; the last may be unfinished.
 * Quoting makes all of FTS5's own syntax plain text. Null when there is nothing to look for.
 */
export function buildMatchQuery(words: string): string | null {
  const terms = words
    .split(/\s+/u)
    .map((term) => term.replaceAll('"', ' ').replaceAll('\0', ' '))
    .filter((term) => /[\p{L}\p{N}\p{Co}]/u.test(term));
  if (terms.length === 0) return null;
  return `${terms.map((term) => `"${term}"`).join(' AND ')}*`;
}

function redactText(value: string, redact: Redact): string {
  return redact(value).value;
}

export function headAndTail(value: string): string {
  return value.length <= HEAD_LENGTH + TAIL_LENGTH
    ? value
    : `${value.slice(0, HEAD_LENGTH)}\n${value.slice(-TAIL_LENGTH)}`;
}

/** Long ones are cut first: looking for what is secret takes longer than cutting. */
function argumentText(json: string, redact: Redact): string {
  const args = JSON.parse(json) as Json;
  return json.length <= HEAD_LENGTH + TAIL_LENGTH
    ? collectStrings(redact<Json>(args).value).join('\n')
    : redactText(headAndTail(collectStrings(args).join('\n')), redact);
}

/** Names and values both: people look for either. */
function collectStrings(value: Json): string[] {
  if (value === null || typeof value === 'boolean') return [];
  if (typeof value === 'number') return [String(value)];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item: Json) => collectStrings(item));
  return Object.entries(value).flatMap(([key, item]) => [key, ...collectStrings(item)]);
}
