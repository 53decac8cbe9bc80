import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { walkJson } from '#contract/vocabulary/text/json-walk.js';

/** The most that is kept of the arguments of a call that was refused before it could do anything. */
const KEPT_BYTES = 4096;
/** The bytes that a name, a bracket or a comma costs, about. */
const OVERHEAD_BYTES = 8;
const MAX_DEPTH = 64;
/** The name that tells what was left out. No tool's arguments have it. */
const LEFT_OUT = '…';

const hasMembers = (value: Json): value is JsonObject | readonly Json[] => typeof value === 'object' && value !== null;

/**
 * The length of the beginning that is looked through for secrets: one that is cut in two at its end is not in what is
 * kept.
 */
const LOOKED_THROUGH_BYTES = 4 * KEPT_BYTES;

/**
 * Cuts the arguments of a refused call. Refused calls cost nothing to whoever sends them: kept whole, they would fill
 * the disk. The beginning is kept, in its own form, so that names still say which values are secret; of the whole the
 * size and the hash. `withoutSecrets` gets the beginning only.
 */
export function cutArguments(
  args: JsonObject,
  hashOf: (text: string) => string,
  withoutSecrets: (args: JsonObject) => JsonObject,
): JsonObject {
  const whole = JSON.stringify(args);
  if (whole.length <= KEPT_BYTES && Buffer.byteLength(whole) <= KEPT_BYTES) return args;
  const note = `${Buffer.byteLength(whole)} bytes in all, SHA-256 ${hashOf(whole)}`;
  const beginning = withoutSecrets(cutObject(args, { left: LOOKED_THROUGH_BYTES }, 1));
  return { ...cutObject(beginning, { left: KEPT_BYTES }, 1), [LEFT_OUT]: note };
}

/** Whether the names and texts are longer than so many characters in all. Looks no further than it must. */
export function exceedsLength(args: Json, characters: number): boolean {
  let left = characters;
  for (const { value } of walkJson(args)) {
    if (typeof value === 'string') left -= value.length;
    else if (isJsonObject(value)) for (const name of Object.keys(value)) left -= name.length;
    if (left < 0) return true;
  }
  return false;
}

interface Budget {
  left: number;
}

function cutObject(object: JsonObject, budget: Budget, depth: number): JsonObject {
  const kept: Record<string, Json> = {};
  for (const name in object) {
    if (budget.left <= 0) break;
    budget.left -= OVERHEAD_BYTES + Buffer.byteLength(name.slice(0, KEPT_BYTES));
    if (budget.left > 0) kept[name] = cutValue(object[name] ?? null, budget, depth);
  }
  return kept;
}

function cutValue(value: Json, budget: Budget, depth: number): Json {
  if (typeof value === 'string') return cutText(value, budget);
  budget.left -= OVERHEAD_BYTES;
  if (!hasMembers(value)) return value;
  if (depth >= MAX_DEPTH) return LEFT_OUT;
  if (!Array.isArray(value)) return cutObject(value as JsonObject, budget, depth + 1);
  const kept: Json[] = [];
  for (const each of value as readonly Json[]) {
    if (budget.left <= 0) break;
    kept.push(cutValue(each, budget, depth + 1));
  }
  return kept;
}

function cutText(text: string, budget: Budget): string {
  const room = Math.max(budget.left, 0);
  let kept = text.slice(0, room);
  while (Buffer.byteLength(kept) > room) kept = kept.slice(0, Math.floor(kept.length / 2));
  budget.left -= Buffer.byteLength(kept);
  return kept.length === text.length ? text : `${kept.toWellFormed()}${LEFT_OUT}`;
}

/** The arguments of a call that was still being written, where they are whole; else the text that came of them. */
export function parsePartialArguments(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const whole: unknown = JSON.parse(text);
    if (isJsonObject(whole)) return whole;
  } catch {
    // The text was cut, and is no JSON.
  }
  return { [LEFT_OUT]: text };
}
