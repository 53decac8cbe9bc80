import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

/** Why an operation can't be offered: the end of a sentence that begins with it. */
export class UnusableOperation extends Error {}

const MAX_REFERENCE_CHAIN = 32;

/** Resolves a JSON pointer in the document. Nothing but this document is ever read. */
export function resolvePointer(root: JsonObject, reference: string): Json {
  if (!reference.startsWith('#/')) throw new UnusableOperation(`refers outside its document (${shorten(reference)})`);
  let found: Json | undefined = root;
  for (const part of splitPointer(reference)) {
    if (Array.isArray(found)) found = /^\d+$/u.test(part) ? (found as readonly Json[])[Number(part)] : undefined;
    else found = isJsonObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }
  if (found === undefined) throw new UnusableOperation(`refers to ${shorten(reference)}, which is not there`);
  return found;
}

/** The thing itself, where a reference stands in its place. */
export function resolveReference(root: JsonObject, value: Json | undefined, what: string): JsonObject {
  let found = value;
  for (let steps = 0; steps < MAX_REFERENCE_CHAIN; steps += 1) {
    if (!isJsonObject(found)) throw new UnusableOperation(`has ${what} that is no object`);
    const reference: Json | undefined = found['$ref'];
    if (reference === undefined) return found;
    if (typeof reference !== 'string') throw new UnusableOperation(`has ${what} with a $ref that is no text`);
    found = resolvePointer(root, reference);
  }
  throw new UnusableOperation(`has ${what} whose references lead nowhere`);
}

export function splitPointer(reference: string): readonly string[] {
  return reference
    .slice(2)
    .split('/')
    .map((part) => decodePart(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A value that should have been a text, as it is shown. */
export const shortenValue = (value: Json | undefined): string =>
  shorten(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing'));

export const shorten = (text: string): string => text.slice(0, 200);
