import type { Json, JsonObject } from '#contract/vocabulary/json.js';

export interface NetworkUse {
  readonly reached: readonly string[];
  readonly refused: readonly string[];
}

/** What a command asked of the network, where it was allowed single hosts; null where it was not, or asked for nothing. */
export function networkUseOf(structured: JsonObject | null): NetworkUse | null {
  const network = structured?.['network'];
  if (!isObject(network)) return null;
  const use = { reached: hostsIn(network['reached']), refused: hostsIn(network['refused']) };
  return use.reached.length + use.refused.length === 0 ? null : use;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hostsIn = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
