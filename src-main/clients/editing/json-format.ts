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
import { SettingsSyntaxError, type SettingsFormat, detectIndent, getLineNumber, toPlainTree } from './format.js';

/** JSON as these programs read it: with comments, and with a comma after the last. */
export const JSON_FORMAT: SettingsFormat = {
  parse: (text) => (text.trim() === '' ? null : toPlainTree(getNodeValue(parseRoot(text)))),
  change(given, { path, value }) {
    const text = given.trim() === '' ? '{}\n' : given;
    const root = parseRoot(text);
    const standing = findNodeAtLocation(root, [...path]);
    if (value === undefined) return standing?.parent === undefined ? text : removeProperty(text, standing.parent);
    if (standing !== undefined)
      return replaceNode(text, standing, formatValue(value, text, indentAt(text, standing.offset)));
    let depth = path.length - 1;
    while (depth > 0 && findNodeAtLocation(root, path.slice(0, depth)) === undefined) depth -= 1;
    const parent = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
    return parent === undefined ? text : addProperty(text, parent, path.slice(depth), value);
  },
};

function parseRoot(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first !== undefined)
    throw new SettingsSyntaxError(getLineNumber(text, first.offset), splitErrorCode(printParseErrorCode(first.error)));
  if (root === undefined) throw new SettingsSyntaxError(null, 'it is empty');
  return root;
}

const getEnd = ({ offset, length }: Node): number => offset + length;
const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;
const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/u.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
const detectEol = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
const replaceNode = (text: string, node: Node, by: string): string =>
  text.slice(0, node.offset) + by + text.slice(getEnd(node));

/** A value over several lines, of which the first is behind something that is indented so far. */
const formatValue = (value: Json, text: string, indent: string): string =>
  JSON.stringify(value, null, detectIndent(text)).replaceAll('\n', `${detectEol(text)}${indent}`);

/** Adds a property behind the last of an object's, on a line of its own. */
function addProperty(text: string, object: Node, [key = '', ...rest]: KeyPath, value: Json): string {
  const eol = detectEol(text);
  const base = indentAt(text, object.offset);
  const last = object.children?.at(-1);
  const ownLine = last !== undefined && text.slice(lineStart(text, last.offset), last.offset).trim() === '';
  const indent = ownLine ? indentAt(text, last.offset) : base + detectIndent(text);
  const nested = rest.reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
  const property = `${eol}${indent}${JSON.stringify(key)}: ${formatValue(nested, text, indent)}`;
  const close = getEnd(object) - 1;
  if (last === undefined) return `${text.slice(0, close).trimEnd()}${property}${eol}${base}${text.slice(close)}`;
  const comma = findCommaAfter(text, getEnd(last));
  const commaText = comma === null ? ',' : '';
  const behind = comma === null ? getEnd(last) : comma + 1;
  // A comment behind the last one stays with it.
  const comment = /^[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*(?=\r?\n))/u.exec(text.slice(behind))?.[0] ?? '';
  const after = behind + comment.length;
  const closeOnOwnLine = text.slice(lineStart(text, close), close).trim() === '';
  const head = text.slice(0, getEnd(last)) + commaText + text.slice(getEnd(last), after);
  // An object with a comma behind its last property keeps having one.
  const tail = comma === null ? '' : ',';
  return closeOnOwnLine
    ? `${head}${property}${tail}${text.slice(after)}`
    : `${head}${property}${tail}${eol}${base}${text.slice(close)}`;
}

/** Removes a property with its comma and its lines; the comments beside others stay. */
function removeProperty(text: string, property: Node): string {
  const end = getEnd(property);
  const comma = findCommaAfter(text, end);
  const siblings = property.parent?.children ?? [];
  const before = siblings[siblings.indexOf(property) - 1];
  const commaBefore = comma === null && before !== undefined ? findCommaAfter(text, getEnd(before)) : null;
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
function findCommaAfter(text: string, offset: number): number | null {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === ',' ? at : null;
}

/** `CommaExpected` → “comma expected”. */
const splitErrorCode = (code: string): string =>
  code.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter}`).toLowerCase();
