import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

/** A place to begin: the required arguments, with the schema's own examples or defaults where it has any. */
export function buildSampleArguments(schema: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : [];
  return Object.fromEntries(
    required
      .filter((name): name is string => typeof name === 'string')
      .map((name) => [name, buildSampleValue(properties[name])]),
  );
}

function buildSampleValue(schema: Json | undefined): Json {
  if (!isJsonObject(schema)) return '';
  const examples = schema['examples'];
  if (Array.isArray(examples) && examples.length > 0) return (examples as readonly Json[])[0] ?? null;
  if (schema['default'] !== undefined) return schema['default'];
  if (Array.isArray(schema['enum'])) return (schema['enum'] as readonly Json[])[0] ?? null;
  const type = schema['type'];
  if (type === 'object') return buildSampleArguments(schema);
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  if (type === 'number' || type === 'integer') return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
  return '';
}
