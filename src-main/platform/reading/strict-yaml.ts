import {
  isAlias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseAllDocuments,
  visit,
  type Document,
  type Node,
} from 'yaml';
import type { Json } from '#contract/vocabulary/json.js';
import { walkJson } from '#contract/vocabulary/text/json-walk.js';

export type StrictYaml =
  | {
      readonly ok: true;
      readonly value: Json;
      /** Finds the position of a value, or of its innermost ancestor that is there. */
      readonly lineOf: (path: readonly (string | number)[]) => number;
    }
  | { readonly ok: false; readonly problem: string; readonly line: number };

/** YAML 1.2, core schema, with no key twice. */
export const AS_DATA = {
  version: '1.2',
  schema: 'core',
  merge: false,
  uniqueKeys: true,
  stringKeys: true,
  prettyErrors: false,
  logLevel: 'error',
} as const;

const MAX_ALIASES = 100;
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;
const MAX_LENGTH = 1024 * 1024;

/**
 * YAML 1.2, core schema, as a person writes it and two programs read it alike: one document, no tags, no key twice, few aliases. What is
 * wrong is told with its line.
 */
export function readStrictYaml(text: string): StrictYaml {
  if (text.length > MAX_LENGTH) return { ok: false, problem: 'is longer than 1 MB', line: 1 };
  const lines = new LineCounter();
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const documents = parseAllDocuments(text, { ...AS_DATA, lineCounter: lines });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) return { ok: false, problem: 'is empty', line: 1 };
  if (second !== undefined) return { ok: false, problem: 'has a second document', line: lineAt(second.range[0]) };
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined)
    return { ok: false, problem: `is no YAML: ${first.message.slice(0, 200)}`, line: lineAt(first.pos[0]) };
  if (document.directives.yaml.explicit === true && document.directives.yaml.version !== '1.2')
    return { ok: false, problem: 'says that it is another YAML than 1.2', line: 1 };
  const strange = findRefusedSyntax(document) ?? findOversize(document);
  if (strange !== null) return { ok: false, problem: strange.problem, line: lineAt(strange.at) };
  return findValue(document, lineAt);
}

function findRefusedSyntax(document: Document.Parsed): { readonly problem: string; readonly at: number } | null {
  let aliases = 0;
  let found: { readonly problem: string; readonly at: number } | null = null;
  visit(document, (_key, node, path) => {
    if (!isNode(node)) return undefined;
    const at = node.range?.[0] ?? 0;
    if (isAlias(node)) {
      aliases += 1;
      if (node.resolve(document) === undefined)
        found = { problem: `has the alias “*${node.source.slice(0, 60)}”, and no anchor of that name before it`, at };
    } else if (isScalar(node) && typeof node.value === 'number' && !Number.isFinite(node.value))
      found = { problem: 'holds a number that JSON has not', at };
    else if (node.tag !== undefined) found = { problem: `has a tag (${node.tag.slice(0, 60)})`, at };
    if (aliases > MAX_ALIASES) found = { problem: `has more than ${MAX_ALIASES} aliases`, at };
    if (path.length > MAX_DEPTH * 2) found = { problem: `is nested more than ${MAX_DEPTH} deep`, at };
    return found === null ? undefined : visit.BREAK;
  });
  return found;
}

/**
 * Finds where a document is too large. A value under two names counts twice, as if it were written out; it is counted
 * without writing it out.
 */
function findOversize(document: Document.Parsed): { readonly problem: string; readonly at: number } | null {
  const known = new Map<unknown, number>();
  let at = 0;
  const sizeOf = (node: unknown): number => {
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value);
    if (!isNode(node)) return 0;
    const before = known.get(node);
    if (before !== undefined) return before;
    // A value that is named within itself has no end.
    known.set(node, Infinity);
    const size = 1 + splitPointer(node, document).reduce((sum: number, part) => sum + sizeOf(part), 0);
    known.set(node, size);
    if (size > MAX_VALUES && at === 0) at = node.range?.[0] ?? 0;
    return size;
  };
  return sizeOf(document.contents) > MAX_VALUES ? { problem: `holds more than ${MAX_VALUES} values`, at } : null;
}

function splitPointer(node: Node, document: Document.Parsed): readonly unknown[] {
  if (isAlias(node)) return [node.resolve(document)];
  return isCollection(node) ? node.items : [];
}

function findValue(document: Document.Parsed, lineAt: (offset: number) => number): StrictYaml {
  let value: unknown;
  try {
    // Aliases were counted, and what they stand for too.
    value = document.toJS({ maxAliasCount: -1 });
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message.slice(0, 200) : 'can’t be read', line: 1 };
  }
  const problem = findNonData(value);
  if (problem !== null) return { ok: false, problem, line: 1 };
  return {
    ok: true,
    value: value as Json,
    lineOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range !== undefined && node.range !== null) return lineAt(node.range[0]);
      }
      return lineAt(document.contents?.range?.[0] ?? 0);
    },
  };
}

function findNonData(value: unknown): string | null {
  for (const { value: held, depth } of walkJson(value)) {
    if (held === null || typeof held !== 'object') continue;
    if (depth > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} deep`;
    if (Object.hasOwn(held, '__proto__')) return 'holds a key “__proto__”';
  }
  return null;
}
