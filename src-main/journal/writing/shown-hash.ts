import type { BatchRow, BodyRow, CallRow } from './call-row.js';
import { sha256 } from '../../platform/digest.js';

const OF_BATCH = ['batchId', 'door', 'client', 'agent', 'sessionId', 'workspace', 'mode'] as const;
/**
 * Came later: a list that begins with “2” and these, where any of them is known. Later still: one that begins with “3”, these,
 * and what the tool was and what else the call left, where either is known. And one that begins with “4”, all of these, and what
 * came of it, where any of that is known.
 */
const OF_ASKER = ['tenant', 'user', 'credential'] as const;
const CAME_OF_IT = ['decidedBy', 'exitCode', 'linesAdded', 'linesRemoved'] as const;
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
export const SHOWN_TEXT = `CASE
  WHEN ${anyOf(prefixed('c', CAME_OF_IT))} THEN '4' || ${inSql([...prefixed('b', OF_ASKER), 'c.nature', 'd.aftermath', ...prefixed('c', CAME_OF_IT)])}
  WHEN ${anyOf(['c.nature', 'd.aftermath'])} THEN '3' || ${inSql([...prefixed('b', OF_ASKER), 'c.nature', 'd.aftermath'])}
  WHEN ${anyOf(prefixed('b', OF_ASKER))} THEN '2' || ${inSql(prefixed('b', OF_ASKER))}
  ELSE '1' END || ${inSql([...prefixed('b', OF_BATCH), ...prefixed('c', OF_CALL), ...prefixed('d', OF_BODY)])}`;

function prefixed(table: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${table}.${name}`);
}

function anyOf(names: readonly string[]): string {
  return names.map((name) => `${name} IS NOT NULL`).join(' OR ');
}

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
export function shownText(batch: BatchRow, call: CallRow, body: Pick<BodyRow, OfBody | 'aftermath'>): string {
  const values = [
    ...OF_BATCH.map((name) => batch[name]),
    ...OF_CALL.map((name) => call[name]),
    ...OF_BODY.map((name) => body[name]),
  ];
  return `${beginning(batch, call, body)}${values.map(written).join('')}`;
}

function beginning(batch: BatchRow, call: CallRow, { aftermath }: Pick<BodyRow, 'aftermath'>): string {
  const { nature } = call;
  const asker = OF_ASKER.map((name) => batch[name]);
  const came = CAME_OF_IT.map((name) => call[name]);
  if (came.some((value) => value !== null)) return `4${[...asker, nature, aftermath, ...came].map(written).join('')}`;
  if (nature !== null || aftermath !== null) return `3${[...asker, nature, aftermath].map(written).join('')}`;
  return asker.every((value) => value === null) ? '1' : `2${asker.map(written).join('')}`;
}

function written(value: string | number | null): string {
  if (value === null) return '-';
  if (typeof value === 'number') return `${String(value).length}:${value}`;
  // What has no form in UTF-8 is stored as the sign for it.
  const text = value.toWellFormed();
  return `${Buffer.byteLength(text)}:${text}`;
}
