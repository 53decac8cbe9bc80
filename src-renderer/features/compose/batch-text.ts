import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { ParsedJson } from '#contract/vocabulary/text/json-text.js';
import { parseShownArguments } from '../../calls/arguments/arguments-text.js';

export interface BatchTextCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** The most calls that one request may carry. */
const MAX_CALLS = 1000;

/** `[{"tool":"…","arguments":{…}},…]`, as people copy it from somewhere. */
export function parseBatch(text: string): ParsedJson<readonly BatchTextCall[]> {
  if (text.trim() === '') return { ok: false, message: 'Paste a list of calls: [{"tool":"…","arguments":{…}}]' };
  const parsed = parseShownArguments(text);
  if (!parsed.ok) return parsed;
  if (!Array.isArray(parsed.value)) return { ok: false, message: 'A batch is a list in [ and ].' };
  const list: readonly Json[] = parsed.value;
  if (list.length === 0) return { ok: false, message: 'The list is empty. Each call is {"tool":"…","arguments":{…}}.' };
  if (list.length > MAX_CALLS) {
    return { ok: false, message: `A batch has at most ${MAX_CALLS} calls; this one has ${list.length}.` };
  }
  const calls: BatchTextCall[] = [];
  for (const [index, item] of list.entries()) {
    const which = `Call ${index + 1}`;
    if (!isJsonObject(item)) return { ok: false, message: `${which} is not an object with "tool" and "arguments".` };
    const { tool, arguments: given = {}, ...rest } = item;
    if (typeof tool !== 'string' || tool === '') return { ok: false, message: `${which} has no "tool" with a name.` };
    if (!isJsonObject(given)) return { ok: false, message: `${which} (${tool}): "arguments" is not an object.` };
    const [extra] = Object.keys(rest);
    if (extra !== undefined) {
      return { ok: false, message: `${which} (${tool}) has "${extra}", which is neither "tool" nor "arguments".` };
    }
    calls.push({ tool, arguments: given });
  }
  return { ok: true, value: calls };
}

export const formatBatch = (calls: readonly BatchTextCall[]): string => JSON.stringify(calls, null, 2);
