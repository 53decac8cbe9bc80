import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

const EXCLUSIVE_BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

/** Values, where what looks like a keyword is none. */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['default', 'examples', 'const', 'enum']);

/**
 * Translates bounds of draft 4, which are exclusive by a boolean beside them, as some libraries still write: read as
 * what they mean. Returns the same object where there is none.
 */
export function translateDraftFour<T extends Json>(schema: T): T {
  if (Array.isArray(schema)) {
    const all = (schema as readonly Json[]).map(translateDraftFour);
    return all.some((each, at) => each !== schema[at]) ? (all as Json as T) : schema;
  }
  if (!isJsonObject(schema)) return schema;
  const own: Record<string, Json> = { ...schema };
  let isOther = false;
  for (const [exclusive, bound] of EXCLUSIVE_BOUNDS) {
    if (typeof own[exclusive] !== 'boolean') continue;
    isOther = true;
    const limit = own[bound];
    if (own[exclusive] && limit !== undefined) {
      own[exclusive] = limit;
      delete own[bound];
    } else delete own[exclusive];
  }
  for (const [keyword, child] of Object.entries(own)) {
    // A property may have any name.
    const read = VALUE_KEYWORDS.has(keyword)
      ? child
      : SCHEMA_MAP_KEYWORDS.has(keyword)
        ? translateSchemaMap(child)
        : translateDraftFour(child);
    isOther ||= read !== child;
    own[keyword] = read;
  }
  return isOther ? (own as JsonObject as T) : schema;
}

/** Schemas by names of others. */
const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'dependentSchemas',
]);

function translateSchemaMap(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, child]) => [name, translateDraftFour(child)] as const);
  return entries.some(([name, read]) => read !== value[name]) ? Object.fromEntries(entries) : value;
}
