import { isAlias, isNode, LineCounter, parseAllDocuments, visit, type Document } from 'yaml';
import type { Json } from '#contract/vocabulary/json.js';

export type StrictYaml =
  | {
      readonly ok: true;
      readonly value: Json;
      /** Where a value stands, or the innermost that is there of what leads to it. */
      readonly lineOf: (path: readonly (string | number)[]) => number;
    }
  | { readonly ok: false; readonly problem: string; readonly line: number };

const MOST_ALIASES = 100;
const MOST_VALUES = 100_000;
const DEEPEST = 100;
const LONGEST = 1024 * 1024;

/**
 * YAML 1.2, core schema, as a person writes it and two programs read it alike: one document, no tags, no key twice, few aliases. What is
 * wrong is told with its line.
 */
export function readStrictYaml(text: string): StrictYaml {
  if (text.length > LONGEST) return { ok: false, problem: 'is longer than 1 MB', line: 1 };
  const lines = new LineCounter();
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: true,
    stringKeys: true,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter: lines,
  });
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) return { ok: false, problem: 'is empty', line: 1 };
  if (second !== undefined) return { ok: false, problem: 'has a second document', line: lineAt(second.range[0]) };
  const [first] = [...document.errors, ...document.warnings];
  if (first !== undefined)
    return { ok: false, problem: `is no YAML: ${first.message.slice(0, 200)}`, line: lineAt(first.pos[0]) };
  if (document.directives.yaml.explicit === true && document.directives.yaml.version !== '1.2')
    return { ok: false, problem: 'says that it is another YAML than 1.2', line: 1 };
  const strange = strangeIn(document);
  if (strange !== null) return { ok: false, problem: strange.problem, line: lineAt(strange.at) };
  return valueOf(document, lineAt);
}

function strangeIn(document: Document.Parsed): { readonly problem: string; readonly at: number } | null {
  let aliases = 0;
  let found: { readonly problem: string; readonly at: number } | null = null;
  visit(document, (_key, node, path) => {
    if (!isNode(node)) return undefined;
    const at = node.range?.[0] ?? 0;
    if (isAlias(node)) aliases += 1;
    else if (node.tag !== undefined) found = { problem: `has a tag (${node.tag.slice(0, 60)})`, at };
    if (aliases > MOST_ALIASES) found = { problem: `has more than ${MOST_ALIASES} aliases`, at };
    if (path.length > DEEPEST * 2) found = { problem: `is nested more than ${DEEPEST} deep`, at };
    return found === null ? undefined : visit.BREAK;
  });
  return found;
}

function valueOf(document: Document.Parsed, lineAt: (offset: number) => number): StrictYaml {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message.slice(0, 200) : 'can’t be read', line: 1 };
  }
  const problem = notData(value);
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

/** What is named twice counts twice, as if it were written out. */
function notData(value: unknown): string | null {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  let count = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value: held, depth } = next;
    count += 1;
    if (count > MOST_VALUES) return `holds more than ${MOST_VALUES} values`;
    if (typeof held === 'number' && !Number.isFinite(held)) return 'holds a number that JSON has not';
    if (held === null || typeof held !== 'object') continue;
    if (depth > DEEPEST) return `is nested more than ${DEEPEST} deep`;
    if (Object.hasOwn(held, '__proto__')) return 'holds a key “__proto__”';
    for (const child of Object.values(held)) waiting.push({ value: child, depth: depth + 1 });
  }
  return null;
}
