import { knownRule, knownValues } from './known-values.js';
import { literally, SecretRuleSet } from './rules.js';
import { redactSpans, mergeSpans, REDACTED, type Span } from './spans.js';

/**
 * Shows a file of secrets as its names without their values: every value but true, false, null, numbers and empty ones
 * is taken out. A line that has no name, and is no comment, section or bracket, is taken out as a whole. Where only a
 * part of the file is shown, all of it decides.
 */
export function maskValues(
  text: string,
  first = 0,
  last = text.length,
): { readonly value: string; readonly count: number } {
  const shown = valuesOfFile(text).filter(({ start, end }) => end > first && start < last);
  return { value: redactSpans(text, shown, first, last), count: shown.length };
}

/** Where they stand. */
function valuesOfFile(text: string): readonly Span[] {
  const spans: Span[] = [];
  let open: Multiline | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const content = line.replace(/\r$/u, '');
    const from = at;
    at += line.length + 1;
    if (open !== null && (open.ends.test(content) || !open.goesOn.test(content))) {
      const isLast = open.ends.test(content);
      open = null;
      if (isLast) {
        spans.push({ start: from, end: from + content.trimEnd().length - 1 });
        continue;
      }
    } else if (open !== null) {
      spans.push({ start: from + Math.max(0, content.search(/\S/u)), end: from + content.trimEnd().length });
      continue;
    }
    spans.push(...valuesIn(content).map(({ start, end }) => ({ start: from + start, end: from + end })));
    open = opens(content);
  }
  return mergeSpans(spans.filter(({ start, end }) => text.slice(start, end) !== REDACTED));
}

/**
 * Builds the search for the values of such files in another text, a command's output: each that is long enough, in
 * whatever form, and each whose line stands there as it does in the file.
 */
export function createValueFinder(texts: readonly string[]): (text: string) => readonly Span[] {
  const values: string[] = [];
  const lines = new Map<string, readonly Span[]>();
  for (const text of texts) {
    for (const { start, end } of valuesOfFile(text)) {
      values.push(text.slice(start, end));
      const from = text.lastIndexOf('\n', start - 1) + 1;
      const to = text.indexOf('\n', end);
      const line = text.slice(from, to === -1 ? text.length : to).trimEnd();
      if (line.length >= MIN_LINE_LENGTH)
        lines.set(line, [...(lines.get(line) ?? []), { start: start - from, end: end - from }]);
    }
  }
  // Nobody keeps so many by hand: then nothing of the other text is shown.
  if (values.length > MAX_VALUES) return (text) => [{ start: 0, end: text.length }];
  const rules = new SecretRuleSet([
    knownRule(knownValues(values)),
    { anchors: literally(...lines.keys()), find: (text) => inLines(text, lines) },
  ]);
  return (text) => rules.find(text);
}

const MAX_VALUES = 2000;
/** A line that is shorter stands in every text. */
const MIN_LINE_LENGTH = 3;

function inLines(text: string, lines: ReadonlyMap<string, readonly Span[]>): readonly Span[] {
  const spans: Span[] = [];
  for (const [line, places] of lines) {
    for (let at = text.indexOf(line); at !== -1; at = text.indexOf(line, at + line.length)) {
      const next = text.charAt(at + line.length);
      // `A=1` does not stand in `A=12`.
      if (next !== '' && /[\w.-]/u.test(next)) continue;
      spans.push(...places.map(({ start, end }) => ({ start: at + start, end: at + end })));
    }
  }
  return spans;
}

/** A value that goes on over lines: until what ends it, or while its lines are like it. */
interface Multiline {
  readonly ends: RegExp;
  readonly goesOn: RegExp;
}

const MEMBER =
  /((?:^|[{,[]\s*)\s*["']?[\w.$@/:-]+?["']?\s*(?:=>|:=|=|:(?=\s|["'[{\d]|$))\s*)(\[redacted\]|"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,[{][^\r\n]*?|)(?=\s*[,}\]]|\s*$)/gu;
const PLAIN = /^(?:true|false|null|none|yes|no|on|off|[+-]?\d+(?:\.\d+)?|""|''|[|>][+-]?|\[\]|\{\}|)$/iu;
/** Comments, sections, brackets, the beginning of a document. */
const NO_VALUE = /^\s*(?:$|[#;].*|\/\/[^=]*|\[[\w .:"'/@-]*\]|[\]{}[(),]+|---|\.\.\.)\s*$/u;

/** A value that is switched off is one that was used. */
const COMMENTED = /^\s*[#;]+\s*(?=(?:export\s+)?[A-Za-z_][\w.-]*\s*=\s*\S)/u;

function valuesIn(written: string): readonly Span[] {
  const line = written.replace(COMMENTED, (all) => ' '.repeat(all.length));
  if (NO_VALUE.test(line)) return [];
  const spans: Span[] = [];
  let matched = false;
  for (const match of line.replace(/^(\s*)(?:export|set)\s/u, (all) => ' '.repeat(all.length)).matchAll(MEMBER)) {
    matched = true;
    const value = match[2] ?? '';
    if (PLAIN.test(value)) continue;
    const start = match.index + (match[1]?.length ?? 0);
    const quote = /^["']/u.test(value) ? 1 : 0;
    const closed = quote === 1 && value.length > 1 && value.endsWith(value.charAt(0)) ? 1 : 0;
    spans.push({ start: start + quote, end: start + value.length - closed });
  }
  if (matched) return spans;
  const start = line.search(/\S/u);
  return [{ start, end: line.trimEnd().length }];
}

function opens(line: string): Multiline | null {
  if (/[:=]\s*[|>][+-]?\s*$/u.test(line)) return { ends: /^(?!)/u, goesOn: /^(?:\s+\S|\s*$)/u };
  const quote = /=\s*(["'])(?:(?!\1).)*$/u.exec(line)?.[1];
  return quote === undefined ? null : { ends: new RegExp(`${quote}\\s*$`, 'u'), goesOn: /^/u };
}
