import { isJsonObject, type JsonObject } from '../json.js';

/** The starting values of a flat form: the defaults that its fields declare. */
export function readFormDefaults({ properties }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) =>
      isJsonObject(field) && field['default'] !== undefined ? [[name, field['default']]] : [],
    ),
  );
}
