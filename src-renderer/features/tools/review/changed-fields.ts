import type { Json, JsonObject } from '#contract/vocabulary/json.js';

export interface ChangedField {
  readonly field: string;
  /** Null where it was not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Finds the differences between two accepted values, field by field, each as text that can be compared by lines. */
export function findChangedFields(before: JsonObject | null, after: JsonObject | null): readonly ChangedField[] {
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...fields].flatMap((field) => {
    const change = { field, before: formatField(before, field), after: formatField(after, field) };
    return change.before === change.after ? [] : [change];
  });
}

function formatField(table: JsonObject | null, field: string): string | null {
  if (table === null || !Object.hasOwn(table, field)) return null;
  const value = table[field] ?? null;
  return typeof value === 'string' ? value : JSON.stringify(sortKeys(value), null, 2);
}

/** The order in which a server writes its keys is no change. */
function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map((each: Json) => sortKeys(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  );
}
