import { isJsonObject, type JsonObject } from '../json.js';

/** What a flat form begins with: what its fields say that they are when nobody says otherwise. */
export function defaultsOf({ properties }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, field]) =>
      isJsonObject(field) && field['default'] !== undefined ? [[name, field['default']]] : [],
    ),
  );
}
