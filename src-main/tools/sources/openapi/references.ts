import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

/** Why an operation can't be offered: the end of a sentence that begins with it. */
export class Unusable extends Error {}

const LONGEST_CHAIN = 32;

/** Resolves a JSON pointer in the document. Nothing but this document is ever read. */
export function at(root: JsonObject, reference: string): Json {
  if (!reference.startsWith('#/')) throw new Unusable(`refers outside its document (${shown(reference)})`);
  let found: Json | undefined = root;
  for (const part of pointerParts(reference)) {
    if (Array.isArray(found)) found = /^\d+$/u.test(part) ? (found as readonly Json[])[Number(part)] : undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }
  if (found === undefined) throw new Unusable(`refers to ${shown(reference)}, which is not there`);
  return found;
}

/** The thing itself, where a reference stands in its place. */
export function followed(root: JsonObject, value: Json | undefined, what: string): JsonObject {
  let found = value;
  for (let steps = 0; steps < LONGEST_CHAIN; steps += 1) {
    if (!isJsonObject(found)) throw new Unusable(`has ${what} that is no object`);
    const reference: Json | undefined = found['$ref'];
    if (reference === undefined) return found;
    if (typeof reference !== 'string') throw new Unusable(`has ${what} with a $ref that is no text`);
    found = at(root, reference);
  }
  throw new Unusable(`has ${what} whose references lead nowhere`);
}

export function pointerParts(reference: string): readonly string[] {
  return reference
    .slice(2)
    .split('/')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A value that should have been a text, as it is shown. */
export const asShown = (value: Json | undefined): string =>
  shown(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));

export const shown = (text: string): string => text.slice(0, 200);
