import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

const BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

/** Values, where what looks like a keyword is none. */
const DATA: ReadonlySet<string> = new Set(['default', 'examples', 'const', 'enum']);

/**
 * Translates bounds of draft 4, which are exclusive by a boolean beside them, as some libraries still write: read as
 * what they mean. Returns the same object where there is none.
 */
export function fromDraftFour<T extends Json>(schema: T): T {
  if (Array.isArray(schema)) {
    const all = (schema as readonly Json[]).map(fromDraftFour);
    return all.some((each, at) => each !== schema[at]) ? (all as Json as T) : schema;
  }
  if (!isJsonObject(schema)) return schema;
  const own: Record<string, Json> = { ...schema };
  let isOther = false;
  for (const [exclusive, bound] of BOUNDS) {
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
    const read = DATA.has(keyword) ? child : NAMED.has(keyword) ? eachIn(child) : fromDraftFour(child);
    isOther ||= read !== child;
    own[keyword] = read;
  }
  return isOther ? (own as JsonObject as T) : schema;
}

/** Schemas by names of others. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'dependentSchemas',
]);

function eachIn(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, child]) => [name, fromDraftFour(child)] as const);
  return entries.some(([name, read]) => read !== value[name]) ? Object.fromEntries(entries) : value;
}
