import type { JsonObject } from '#contract/vocabulary/json.js';

/**
 * The key under which structured content holds the text as well, beside what the tool says of it: some clients show
 * their model the structured content alone, when there is any. A tool that has a `text` of its own keeps that.
 */
const KEY = 'text';

export function withText(structured: JsonObject, text: string): JsonObject {
  return KEY in structured ? structured : { ...structured, [KEY]: text };
}

/** The schema of that. Null for a schema that is not of an object, which the protocol does not take. */
export function schemaWithText(schema: JsonObject | null): JsonObject | null {
  if (schema?.['type'] !== 'object') return null;
  const properties = (schema['properties'] ?? {}) as JsonObject;
  if (KEY in properties) return schema;
  return { ...schema, properties: { ...properties, [KEY]: { type: 'string', description: 'The result, as text.' } } };
}
