import type { UiSchema } from '@rjsf/utils';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

/** Names under which tools take text of several lines. */
const LONG_NAMES =
  /^(?:body|code|command|content|description|input|message|new_string|old_string|patch|prompt|script|sql|text)$/i;
const LONG_FROM = 1000;

/** How a schema's fields are best entered. A schema says what a value may be, not how long it usually is. */
export function buildFormHints(schema: JsonObject, depth = 0): UiSchema {
  const { properties } = schema;
  if (!isJsonObject(properties) || depth > 6) return {};
  const hints: UiSchema = {};
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const placeholder =
      property['default'] === undefined ? undefined : `${formatValue(property['default'])} if left empty`;
    if (property['type'] === 'string' && property['enum'] === undefined && property['const'] === undefined) {
      const { maxLength } = property;
      const long =
        LONG_NAMES.test(name) || (typeof maxLength === 'number' && maxLength >= LONG_FROM && !/path|url/i.test(name));
      hints[name] = {
        ...(long ? { 'ui:widget': 'textarea' } : {}),
        ...(placeholder === undefined ? {} : { 'ui:placeholder': placeholder }),
      };
    } else if (property['type'] === 'boolean') {
      hints[name] = { 'ui:widget': 'checkbox' };
    } else {
      hints[name] = {
        ...buildFormHints(property, depth + 1),
        ...(placeholder === undefined ? {} : { 'ui:placeholder': placeholder }),
      };
    }
  }
  return hints;
}

const formatValue = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
