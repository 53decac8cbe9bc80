import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { type ParsedJson, parseJson } from '#contract/vocabulary/text/json-text.js';

/** Nested further than this, a value can't be drawn as a form or a tree; the gate refuses it too. */
const MAX_DEPTH = 500;

const isDeeper = (value: Json, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values<Json>(value).some((each) => isDeeper(each, depth - 1)));

/** JSON that can be shown. */
export function parseShownArguments(text: string): ParsedJson<Json> {
  const parsed = parseJson(text);
  return parsed.ok && isDeeper(parsed.value, MAX_DEPTH) ? { ok: false, message: 'It is nested too deeply.' } : parsed;
}

/** The arguments of a call, as a person writes them. */
export function parseArguments(text: string): ParsedJson<JsonObject> {
  if (text.trim() === '') return { ok: false, message: 'Arguments are an object; use {} for none.' };
  const parsed = parseShownArguments(text);
  if (!parsed.ok) return parsed;
  return isJsonObject(parsed.value)
    ? { ok: true, value: parsed.value }
    : { ok: false, message: 'Arguments are an object in { and }.' };
}
