import type { BatchRow, BodyRow, CallRow } from './call-row.js';
import { sha256 } from '../../platform/digest.js';

const OF_BATCH = ['batchId', 'door', 'client', 'agent', 'sessionId', 'workspace', 'mode'] as const;
/** Came later: a list that begins with “2” and these, where any of them is known. */
const OF_ASKER = ['tenant', 'user', 'credential'] as const;
const OF_CALL = [
  'callId', 'position', 'tool', 'toolId', 'toolVersion', 'sideEffecting', 'settled', 'awaiting', 'summary', 'risk',
  'capabilities', 'timeoutMs', 'attempts', 'outcome', 'code', 'reason', 'startedAt', 'executingSince', 'confinement',
  'hasChanges', 'hasOutput', 'peakMemoryBytes', 'undoes', 'redactions',
] as const; // prettier-ignore
const OF_BODY = [
  'originalArguments', 'failure', 'structured', 'outputBytes', 'outputBytesLeftOut', 'storedOutputs', 'changedFiles',
] as const; // prettier-ignore
type OfBody = (typeof OF_BODY)[number];

/**
 * What history shows of a settled call besides its arguments and its result, which have hashes of their own: never
 * changed once it is settled. Each with its length before it, so that nothing can be moved from one to the next.
 * A column that comes later begins a new list with a new number: what was hashed by this one must be found by it.
 * This is the text as SQLite puts it together, for reading many; numbers with a point are apart, as it may come to
 * write them otherwise.
 */
export const SHOWN_TEXT = `iif(coalesce(${OF_ASKER.map((name) => `b.${name}`).join(', ')}) IS NULL, '1', '2' || ${inSql(
  OF_ASKER.map((name) => `b.${name}`),
)}) || ${inSql([
  ...OF_BATCH.map((name) => `b.${name}`),
  ...OF_CALL.map((name) => `c.${name}`),
  ...OF_BODY.map((name) => `d.${name}`),
])}`;

function inSql(names: readonly string[]): string {
  return names.map((name) => `ifnull(octet_length(${name}) || ':' || ${name}, '-')`).join(' || ');
}

export interface ShownRow {
  readonly shown: string;
  readonly durationMs: number | null;
  readonly cpuMs: number | null;
}

export function shownHash({ shown, durationMs, cpuMs }: ShownRow): string {
  return sha256(`${shown}|${durationMs}|${cpuMs}`);
}

/** The same text of what is being written: SQLite takes a statement of that length thirty times as long for one row. */
export function shownText(batch: BatchRow, call: CallRow, body: Pick<BodyRow, OfBody>): string {
  const values = [
    ...OF_BATCH.map((name) => batch[name]),
    ...OF_CALL.map((name) => call[name]),
    ...OF_BODY.map((name) => body[name]),
  ];
  const asker = OF_ASKER.map((name) => batch[name]);
  const begins = asker.every((value) => value === null) ? '1' : `2${asker.map(written).join('')}`;
  return `${begins}${values.map(written).join('')}`;
}

function written(value: string | number | null): string {
  if (value === null) return '-';
  if (typeof value === 'number') return `${String(value).length}:${value}`;
  // What has no form in UTF-8 is stored as the sign for it.
  const text = value.toWellFormed();
  return `${Buffer.byteLength(text)}:${text}`;
}
