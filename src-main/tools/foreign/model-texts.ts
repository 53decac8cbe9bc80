import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

/** Layout stays. What can't be seen can say to a model what no person reads. */
const HIDDEN_CHARACTERS = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;
export const removeHidden = (text: string): string => text.replaceAll(HIDDEN_CHARACTERS, '');

const MAX_DESCRIPTION_LENGTH = 4096;
export const toModelDescription = (description: string): string =>
  removeHidden(description).slice(0, MAX_DESCRIPTION_LENGTH);

/** Only its words for readers: what is compared (names, patterns, constants) means what it says. */
export function toModelSchema(schema: JsonObject): JsonObject {
  const shown = (value: Json, key: string): Json => {
    if (typeof value === 'string') return SHOWN_TEXT_KEYWORDS.has(key) ? removeHidden(value) : value;
    if (Array.isArray(value)) return value.map((child) => shown(child, ''));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, shown(child, name)]));
  };
  return shown(schema, '') as JsonObject;
}

/** The parts of a schema that are compared, without those that are only read. */
export function removeSchemaTexts(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(removeSchemaTexts);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).flatMap(([keyword, value]): readonly (readonly [string, Json])[] => {
    if (COMPARED_KEYWORDS.has(keyword)) return [[keyword, value]];
    if (SCHEMA_MAP_KEYWORDS.has(keyword) && isJsonObject(value))
      return [
        [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, removeSchemaTexts(each)]))],
      ];
    return TEXT_KEYWORDS.has(keyword) || (typeof value === 'string' && keyword.startsWith('x-'))
      ? []
      : [[keyword, removeSchemaTexts(value)]];
  });
  return Object.fromEntries(kept);
}

const COMPARED_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'required', 'type']);
const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const TEXT_KEYWORDS: ReadonlySet<string> = new Set([
  'title',
  'description',
  '$comment',
  'examples',
  'example',
  'default',
]);

const SHOWN_TEXT_KEYWORDS: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
