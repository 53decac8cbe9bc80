import { type Document, isMap, isScalar, type Pair, parseDocument, type Scalar, stringify, type YAMLMap } from 'yaml';
import type { Json } from '#contract/vocabulary/json.js';
import type { KeyPath, TextChange } from './edits.js';
import { SettingsSyntaxError, type SettingsFormat, detectIndent, toPlainTree } from './format.js';

export const YAML_FORMAT: SettingsFormat = {
  parse: (text) => {
    const document = parseYaml(text);
    return document.contents === null ? null : toPlainTree(document.toJS());
  },
  change(text, { path, value }) {
    const document = parseYaml(text);
    const place = findChangePoint(document, path);
    const rewritten = place === null ? null : value === undefined ? null : changeInPlace(text, place, value);
    return rewritten ?? changeDocument(document, { path, value });
  },
};

function parseYaml(text: string): Document.Parsed {
  const document = parseDocument(text, { keepSourceTokens: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined)
    throw new SettingsSyntaxError(error.linePos?.[0].line ?? null, error.message.split('\n', 1)[0] ?? error.message);
  return document;
}

type ChangePoint =
  | { readonly kind: 'value'; readonly node: Scalar }
  /** The key is missing in a block of this indentation, which ends there. */
  | { readonly kind: 'block'; readonly indent: number; readonly end: number; readonly missing: KeyPath };

/**
 * Finds where a change touches nothing beside it. Null where there is no such place: flow maps, aliases, whole blocks.
 */
function findChangePoint(document: Document.Parsed, path: KeyPath): ChangePoint | null {
  let map: YAMLMap | null = isMap(document.contents) ? document.contents : null;
  for (const [at, key] of path.entries()) {
    if (map === null || map.flow === true) return null;
    const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key);
    if (pair === undefined) return findBlockEnd(map, path.slice(at));
    if (at === path.length - 1) return isScalar(pair.value) ? { kind: 'value', node: pair.value } : null;
    map = isMap(pair.value) ? pair.value : null;
  }
  return null;
}

function findBlockEnd(map: YAMLMap, missing: KeyPath): ChangePoint | null {
  const first = findKeyStart(map.items[0]);
  const end = map.range?.[1];
  return first === null || end === undefined ? null : { kind: 'block', indent: first, end, missing };
}

/** The offset of a key in its file. */
function findKeyStart(pair: Pair | undefined): number | null {
  return pair !== undefined && isScalar(pair.key) ? (pair.key.range?.[0] ?? null) : null;
}

function changeInPlace(text: string, place: ChangePoint, value: Json): string | null {
  if (place.kind === 'value') {
    const [start, end] = place.node.range ?? [];
    if (start === undefined || end === undefined || typeof value === 'object') return null;
    return text.slice(0, start) + JSON.stringify(value) + text.slice(end);
  }
  // The first key's column is the block's.
  const column = place.indent - (text.lastIndexOf('\n', place.indent - 1) + 1);
  const nested = place.missing.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
  const lines = stringify(nested, { indent: detectIndent(text).length, lineWidth: 0 })
    .trimEnd()
    .split('\n');
  const block = lines.map((line) => `${' '.repeat(column)}${line}\n`).join('');
  const before = text.slice(0, place.end).trimEnd();
  return `${before}\n${block}${text.slice(before.length).replace(/^[ \t]*\r?\n/u, '')}`;
}

/** Changes the text in the library's own way, which keeps comments and may set spaces anew. */
function changeDocument(document: Document.Parsed, { path, value }: TextChange): string {
  if (value === undefined) document.deleteIn([...path]);
  else document.setIn([...path], document.createNode(value));
  return document.toString({ lineWidth: 0 });
}
