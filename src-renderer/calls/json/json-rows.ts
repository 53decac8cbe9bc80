import type { Json, JsonObject } from '#contract/vocabulary/json.js';

/** A row of an arguments tree. Only opened branches have rows, so a value of any size opens at once. */
export interface JsonRow {
  /** A JSON Pointer, which is also the key of the row. */
  readonly pointer: string;
  readonly depth: number;
  readonly label: string;
  readonly kind: 'branch' | 'value';
  /** The number of a branch's entries, or the text of a value. */
  readonly value: Json;
  readonly entries: number;
  readonly open: boolean;
}

/** A branch with more entries than this opens only when asked. */
const OPEN_AT_FIRST = 40;
const OPEN_DEPTH = 2;

const escapePointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

const isBranch = (value: Json): value is readonly Json[] | JsonObject => typeof value === 'object' && value !== null;

function listEntries(value: readonly Json[] | JsonObject): readonly (readonly [string, Json])[] {
  return Array.isArray(value)
    ? value.map((item: Json, index): readonly [string, Json] => [String(index), item])
    : Object.entries(value);
}

/** `toggled` holds the pointers that are not as they are at first. */
export function buildJsonRows(value: JsonObject, toggled: ReadonlySet<string>): readonly JsonRow[] {
  const rows: JsonRow[] = [];
  const visit = (parent: readonly Json[] | JsonObject, path: string, depth: number): void => {
    for (const [label, item] of listEntries(parent)) {
      const pointer = `${path}/${escapePointer(label)}`;
      if (!isBranch(item)) {
        rows.push({ pointer, depth, label, kind: 'value', value: item, entries: 0, open: false });
        continue;
      }
      const entries = Array.isArray(item) ? item.length : Object.keys(item).length;
      const atFirst = depth < OPEN_DEPTH && entries <= OPEN_AT_FIRST;
      const open = entries > 0 && atFirst !== toggled.has(pointer);
      rows.push({ pointer, depth, label, kind: 'branch', value: item, entries, open });
      if (open) visit(item, pointer, depth + 1);
    }
  };
  visit(value, '', 0);
  return rows;
}

/** Finds the changes between two argument objects, by top-level name: enough to word an edit. */
export function findChangedNames(before: JsonObject, after: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
