import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';

export interface NetworkUse {
  readonly reached: readonly string[];
  readonly refused: readonly string[];
}

/** What a command asked of the network, where it was allowed single hosts; null where it was not, or asked for nothing. */
export function networkUseOf(structured: JsonObject | null): NetworkUse | null {
  const network = structured?.['network'];
  if (!isJsonObject(network)) return null;
  const use = { reached: hostsIn(network['reached']), refused: hostsIn(network['refused']) };
  return use.reached.length + use.refused.length === 0 ? null : use;
}

const hostsIn = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
