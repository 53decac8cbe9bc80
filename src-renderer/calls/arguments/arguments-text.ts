import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { findJsonError, positionOf } from './json-error.js';

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

export function parseJson(text: string): Parsed<Json> {
  const wrong = findJsonError(text);
  if (wrong !== null) {
    const { line, column } = positionOf(text, wrong.at);
    return { ok: false, message: `Line ${line}, column ${column}: ${wrong.message}.` };
  }
  return { ok: true, value: JSON.parse(text) as Json };
}

/** The arguments of a call, as a person writes them. */
export function parseArguments(text: string): Parsed<JsonObject> {
  if (text.trim() === '') return { ok: false, message: 'Arguments are an object: {} where there are none.' };
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  return isJsonObject(parsed.value)
    ? { ok: true, value: parsed.value }
    : { ok: false, message: 'Arguments are an object: they stand in { and }.' };
}
