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

/**
 * The parts of a schema that say which values fit, without its words for readers. By closed lists: in a keyword that nobody
 * checks, or in a name, a text tells a model as much as in a description.
 */
export function removeSchemaTexts(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]): readonly (readonly [string, Json])[] => {
      if (SCHEMA_MAP_KEYWORDS.has(keyword) && isJsonObject(value)) return [[keyword, keepNamedSchemas(value)]];
      const kept = SCHEMA_KEYWORDS.has(keyword)
        ? keepSchemas(value)
        : VALUE_KEYWORDS.has(keyword)
          ? keepNames(value)
          : [];
      return kept.map((each) => [keyword, each]);
    }),
  );
}

const keepNamedSchemas = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]) =>
      NAME.test(name) ? keepSchemas(schema).map((each) => [name, each] as const) : [],
    ),
  );

/** A schema, or a list of them; none of what is neither. */
function keepSchemas(value: Json): readonly Json[] {
  if (Array.isArray(value)) return [(value as readonly Json[]).flatMap(keepSchemas)];
  if (isJsonObject(value)) return [removeSchemaTexts(value)];
  return typeof value === 'boolean' ? [value] : [];
}

/** Values that are no sentence; a list of which nothing is left says nothing. */
function keepNames(value: Json): readonly Json[] {
  if (Array.isArray(value)) {
    const kept = (value as readonly Json[]).flatMap(keepNames);
    return kept.length === 0 ? [] : [kept];
  }
  if (isJsonObject(value)) return [];
  return typeof value !== 'string' || NAME.test(value) ? [value] : [];
}

/** One word, as names of arguments and places in a schema are. */
const NAME = /^[\w.$@:#/[\]~-]{1,64}$/u;

const SCHEMA_MAP_KEYWORDS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(
  'items prefixItems additionalItems additionalProperties contains anyOf oneOf allOf not if then else'.split(' '),
);
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(
  (
    '$ref type enum const required format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
    'minLength maxLength minItems maxItems uniqueItems minProperties maxProperties'
  ).split(' '),
);

const SHOWN_TEXT_KEYWORDS: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
