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

const WORDS: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
