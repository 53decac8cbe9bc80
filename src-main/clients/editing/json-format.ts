import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { Json } from '#contract/vocabulary/json.js';
import type { KeyPath } from './edits.js';
import { BadText, type Format, indentOf, lineAt, plainTree } from './format.js';

/** JSON as these programs read it: with comments, and with a comma after the last. */
export const JSON_FORMAT: Format = {
  parse: (text) => (text.trim() === '' ? null : plainTree(getNodeValue(rootOf(text)))),
  change(given, { path, value }) {
    const text = given.trim() === '' ? '{}\n' : given;
    const root = rootOf(text);
    const standing = findNodeAtLocation(root, [...path]);
    if (value === undefined) return standing?.parent === undefined ? text : withoutProperty(text, standing.parent);
    if (standing !== undefined) return replaced(text, standing, written(value, text, indentAt(text, standing.offset)));
    let depth = path.length - 1;
    while (depth > 0 && findNodeAtLocation(root, path.slice(0, depth)) === undefined) depth -= 1;
    const parent = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
    return parent === undefined ? text : withProperty(text, parent, path.slice(depth), value);
  },
};

function rootOf(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first !== undefined) throw new BadText(lineAt(text, first.offset), words(printParseErrorCode(first.error)));
  if (root === undefined) throw new BadText(null, 'it is empty');
  return root;
}

const endOf = ({ offset, length }: Node): number => offset + length;
const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/u.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
const replaced = (text: string, node: Node, by: string): string =>
  text.slice(0, node.offset) + by + text.slice(endOf(node));

/** A value over several lines, of which the first is behind something that is indented so far. */
const written = (value: Json, text: string, indent: string): string =>
  JSON.stringify(value, null, indentOf(text)).replaceAll('\n', `${eolOf(text)}${indent}`);

/** Adds a property behind the last of an object's, on a line of its own. */
function withProperty(text: string, object: Node, [key = '', ...rest]: KeyPath, value: Json): string {
  const eol = eolOf(text);
  const base = indentAt(text, object.offset);
  const last = object.children?.at(-1);
  const ownLine = last !== undefined && text.slice(lineStart(text, last.offset), last.offset).trim() === '';
  const indent = ownLine ? indentAt(text, last.offset) : base + indentOf(text);
  const nested = rest.reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
  const property = `${eol}${indent}${JSON.stringify(key)}: ${written(nested, text, indent)}`;
  const close = endOf(object) - 1;
  if (last === undefined) return `${text.slice(0, close).trimEnd()}${property}${eol}${base}${text.slice(close)}`;
  const comma = commaAfter(text, endOf(last));
  const commaText = comma === null ? ',' : '';
  const behind = comma === null ? endOf(last) : comma + 1;
  // A comment behind the last one stays with it.
  const comment = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*(?=\r?\n))/u.exec(text.slice(behind))?.[0] ?? '';
  const after = behind + comment.length;
  const closeOnOwnLine = text.slice(lineStart(text, close), close).trim() === '';
  const head = text.slice(0, endOf(last)) + commaText + text.slice(endOf(last), after);
  // With a comma behind its last one, an object keeps having one.
  const tail = comma === null ? '' : ',';
  return closeOnOwnLine
    ? `${head}${property}${tail}${text.slice(after)}`
    : `${head}${property}${tail}${eol}${base}${text.slice(close)}`;
}

/** Removes a property with its comma and its lines; the comments beside others stay. */
function withoutProperty(text: string, property: Node): string {
  const end = endOf(property);
  const comma = commaAfter(text, end);
  const siblings = property.parent?.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  const commaBefore = comma === null && before !== undefined ? commaAfter(text, endOf(before)) : null;
  const stop = comma === null ? end : comma + 1;
  const start = lineStart(text, property.offset);
  const rest = /^[ \t]*\r?\n?/u.exec(text.slice(stop))?.[0] ?? '';
  const wholeLines = text.slice(start, property.offset).trim() === '' && rest.includes('\n');
  const [from, to] = wholeLines ? [start, stop + rest.length] : [property.offset, stop];
  const head =
    commaBefore === null ? text.slice(0, from) : text.slice(0, commaBefore) + text.slice(commaBefore + 1, from);
  return head + text.slice(to);
}

/** The offset of the comma, where the next thing that is no comment is one. */
function commaAfter(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : null;
}

/** `CommaExpected` → “comma expected”. */
const words = (code: string): string => code.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter}`).toLowerCase();
