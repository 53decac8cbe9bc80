import type { BatchRow, BodyRow, CallRow } from './call-row.js';
import { sha256 } from '../../platform/digest.js';

const BATCH_COLUMNS = [
  'batchId', 'door', 'client', 'agent', 'tenant', 'user', 'credential', 'sessionId', 'workspace', 'mode',
] as const; // prettier-ignore
const CALL_COLUMNS = [
  'callId', 'position', 'tool', 'toolId', 'toolVersion', 'nature', 'sideEffecting', 'settled', 'awaiting', 'summary', 'risk',
  'capabilities', 'timeoutMs', 'attempts', 'outcome', 'code', 'reason', 'startedAt', 'executingSince', 'confinement',
  'hasChanges', 'hasOutput', 'peakMemoryBytes', 'undoes', 'redactions', 'decidedBy', 'exitCode', 'linesAdded', 'linesRemoved',
] as const; // prettier-ignore
const BODY_COLUMNS = [
  'originalArguments', 'failure', 'structured', 'outputBytes', 'outputBytesLeftOut', 'storedOutputs', 'changedFiles',
  'aftermath',
] as const; // prettier-ignore

/**
 * The columns that history shows of a settled call besides its arguments and its result, which have hashes of their
 * own: never changed once it is settled. Each is put down with its length before it, so that nothing can be moved from
 * one to the next. A column that comes later goes to the end, and only where it is not null: what was hashed without it
 * must be found by this. This is the text as SQLite puts it together, for reading many; numbers with a point are apart,
 * as it may come to write them otherwise.
 */
export const SHOWN_TEXT_SQL = [
  ...prefixColumns('b', BATCH_COLUMNS),
  ...prefixColumns('c', CALL_COLUMNS),
  ...prefixColumns('d', BODY_COLUMNS),
]
  .map((name) => `ifnull(octet_length(${name}) || ':' || ${name}, '-')`)
  .join(' || ');

function prefixColumns(table: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${table}.${name}`);
}

export interface ShownRow {
  readonly shown: string;
  readonly durationMs: number | null;
  readonly cpuMs: number | null;
}

export function hashShown({ shown, durationMs, cpuMs }: ShownRow): string {
  return sha256(`${shown}|${durationMs}|${cpuMs}`);
}

/** The same text of what is being written: SQLite takes a statement of that length thirty times as long for one row. */
export function buildShownText(
  batch: BatchRow,
  call: CallRow,
  body: Pick<BodyRow, (typeof BODY_COLUMNS)[number]>,
): string {
  const values = [
    ...BATCH_COLUMNS.map((name) => batch[name]),
    ...CALL_COLUMNS.map((name) => call[name]),
    ...BODY_COLUMNS.map((name) => body[name]),
  ];
  return values.map(serializeColumn).join('');
}

function serializeColumn(value: string | number | null): string {
  if (value === null) return '-';
  if (typeof value === 'number') return `${String(value).length}:${value}`;
  // What has no form in UTF-8 is stored as the sign for it.
  const text = value.toWellFormed();
  return `${Buffer.byteLength(text)}:${text}`;
}
