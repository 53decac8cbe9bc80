import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

/** Layout stays. What can't be seen can say to a model what no person reads. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;
export const withoutHidden = (text: string): string => text.replaceAll(HIDDEN, '');

const LONGEST_DESCRIPTION = 4096;
export const descriptionForModels = (description: string): string =>
  withoutHidden(description).slice(0, LONGEST_DESCRIPTION);

/** Only its words for readers: what is compared (names, patterns, constants) means what it says. */
export function schemaForModels(schema: JsonObject): JsonObject {
  const shown = (value: Json, key: string): Json => {
    if (typeof value === 'string') return WORDS.has(key) ? withoutHidden(value) : value;
    if (Array.isArray(value)) return value.map((child) => shown(child, ''));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, shown(child, name)]));
  };
  return shown(schema, '') as JsonObject;
}

/** The parts of a schema that are compared, without those that are only read. */
export function schemaWithoutWords(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(schemaWithoutWords);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).flatMap(([keyword, value]): readonly (readonly [string, Json])[] => {
    if (COMPARED.has(keyword)) return [[keyword, value]];
    if (NAMED.has(keyword) && isJsonObject(value))
      return [
        [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, schemaWithoutWords(each)]))],
      ];
    return ONLY_READ.has(keyword) || (typeof value === 'string' && keyword.startsWith('x-'))
      ? []
      : [[keyword, schemaWithoutWords(value)]];
  });
  return Object.fromEntries(kept);
}

const COMPARED: ReadonlySet<string> = new Set(['const', 'enum', 'required', 'type']);
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const ONLY_READ: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'examples', 'example', 'default']);

const WORDS: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
