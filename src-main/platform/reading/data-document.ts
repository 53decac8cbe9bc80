import { LineCounter, parseDocument } from 'yaml';
import type { Json } from '#contract/vocabulary/json.js';
import { walkJson } from '#contract/vocabulary/text/json-walk.js';
import { AS_DATA } from './strict-yaml.js';

export type ReadDocument =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: string; readonly line: number | null };

/** A document may be as deep as JSON Schemas of services are, and no deeper. */
const MAX_DEPTH = 200;
const MAX_VALUES = 2_000_000;
/**
 * The most aliases. An alias stands for one value, however often it is named: its size is checked above, as if it were
 * written out.
 */
const MAX_ALIASES = 10_000;
/** YAML takes a hundred times as long to read as JSON, and nothing else is done meanwhile. */
const MAX_YAML_LENGTH = 2 * 2 ** 20;

/**
 * Parses JSON or YAML (1.2, core): data and nothing else. A text that expands to more than it is (aliases without end,
 * tags of a language) is refused.
 */
export function readDocument(text: string): ReadDocument {
  const read = /^\s*[[{]/u.test(text) ? readJson(text) : readYaml(text);
  if (!read.ok) return read;
  const problem = findOversize(read.value);
  return problem === null ? read : { ok: false, problem, line: null };
}

function readJson(text: string): ReadDocument {
  try {
    return { ok: true, value: JSON.parse(text.replace(/^\uFEFF/u, '')) as Json };
  } catch (error) {
    // YAML may begin as JSON does.
    const yaml = text.length < SMALL ? readYaml(text) : null;
    if (yaml?.ok === true) return yaml;
    const said = error instanceof Error ? error.message : '';
    const line = /\(line (\d+) /u.exec(said)?.[1];
    return {
      ok: false,
      problem: `It is no JSON (${said.slice(0, 200)}).`,
      line: line === undefined ? null : Number(line),
    };
  }
}

const SMALL = 256 * 1024;

function readYaml(text: string): ReadDocument {
  if (text.length > MAX_YAML_LENGTH)
    return {
      ok: false,
      problem: 'It is YAML of more than 2 MB. Use its JSON: most services publish both.',
      line: null,
    };
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { ...AS_DATA, lineCounter: lines });
    const [first] = [...document.errors, ...document.warnings];
    if (first !== undefined)
      return {
        ok: false,
        problem: `It is no YAML that can be read (${first.message.slice(0, 200)}).`,
        line: lines.linePos(first.pos[0]).line,
      };
    return { ok: true, value: document.toJS({ maxAliasCount: MAX_ALIASES }) as Json };
  } catch (error) {
    const said = error instanceof Error ? error.message : 'it can’t be read';
    return { ok: false, problem: `It is no YAML that can be read (${said.slice(0, 200)}).`, line: null };
  }
}

/** Finds why a value is too large. A value under two names counts twice, as it would be written. */
function findOversize(value: Json): string | null {
  let count = 0;
  for (const { value: held, depth } of walkJson(value)) {
    if ((count += 1) > MAX_VALUES) return `It holds more than ${MAX_VALUES} values.`;
    if (typeof held === 'number' && !Number.isFinite(held)) return 'It holds a number that JSON has not.';
    if (typeof held === 'bigint' || typeof held === 'symbol' || typeof held === 'function' || held === undefined)
      return 'It holds something that is no data.';
    if (typeof held !== 'object' || held === null) continue;
    if (depth > MAX_DEPTH) return `It is nested more than ${MAX_DEPTH} deep.`;
    if (!Array.isArray(held) && Object.getPrototypeOf(held) !== Object.prototype)
      return 'It holds something that is no data.';
    if (Object.hasOwn(held, '__proto__')) return 'It holds a key “__proto__”.';
  }
  return null;
}
