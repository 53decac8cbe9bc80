import { type ParseError, parseTree, getNodeValue, printParseErrorCode } from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';
import { parseDocument } from 'yaml';
import type { Json } from '#contract/vocabulary/json.js';
import { type ParsedJson, findPosition } from '#contract/vocabulary/text/json-text.js';

const MAX_DEPTH = 64;
const MAX_ALIASES = 100;

/** Settings of another program as a tree, in whichever of their ways of writing they stand. */
export function parseSettingsText(text: string): ParsedJson<Json> {
  if (/^[{[]/u.test(text)) return /^\[[\w."'-]+\][ \t]*$/mu.test(text) ? parseTomlText(text) : parseJson(text);
  // The inside of an object, as documentation often shows it.
  if (/^"[^"\n]*"\s*:/u.test(text)) return parseJson(`{${text.replace(/,\s*$/u, '')}}`);
  if (/^[ \t]*\[\[?[\w."'-]+\]\]?[ \t]*(?:#.*)?$/mu.test(text)) return parseTomlText(text);
  return parseYamlText(text);
}

function parseJson(text: string): ParsedJson<Json> {
  const errors: ParseError[] = [];
  if (measureDepth(text) > MAX_DEPTH) return tooDeep;
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const { line, column } = findPosition(text, first?.offset ?? 0);
    const why = first === undefined ? 'there is nothing' : splitCode(printParseErrorCode(first.error));
    return { ok: false, message: `Line ${line}, column ${column}: ${why}.` };
  }
  return { ok: true, value: toPlainJson(getNodeValue(root), 0) };
}

function parseTomlText(text: string): ParsedJson<Json> {
  try {
    return { ok: true, value: toPlainJson(parseToml(text, { maxDepth: MAX_DEPTH, unsafeKeyBehaviour: 'throw' }), 0) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { ok: false, message: `Line ${error.line}: ${firstLine(error.message)}.` };
  }
}

function parseYamlText(text: string): ParsedJson<Json> {
  try {
    const document = parseDocument(text, { schema: 'core', logLevel: 'silent', uniqueKeys: false });
    const [wrong] = document.errors;
    if (wrong !== undefined) {
      return { ok: false, message: `Line ${wrong.linePos?.[0].line ?? 1}: ${firstLine(wrong.message)}.` };
    }
    return { ok: true, value: toPlainJson(document.toJS({ maxAliasCount: MAX_ALIASES }), 0) };
  } catch (error) {
    // The parser reads what is nested by calling itself.
    if (error instanceof RangeError) return tooDeep;
    return { ok: false, message: `${firstLine(error instanceof Error ? error.message : String(error))}.` };
  }
}

/** How deep brackets stand in each other, counted without reading: a reader that calls itself would run out before. */
function measureDepth(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

const tooDeep: ParsedJson<Json> = { ok: false, message: 'It is nested too deeply.' };

/** Copies what a parser gives, without the prototypes of its own; values that JSON has no form for become text. */
function toPlainJson(value: unknown, depth: number): Json {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => toPlainJson(each, depth + 1));
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlainJson(inner, depth + 1)]));
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** `CommaExpected` → “comma expected”. */
const splitCode = (code: string): string =>
  code.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter}`).toLowerCase();
const firstLine = (text: string): string => (text.split('\n', 1)[0] ?? text).replace(/[.:]+$/u, '');
