import type { Json } from '#contract/vocabulary/json.js';
import type { TextChange } from './edits.js';

/** A format of settings files. It changes as little of the text as it can. */
export interface SettingsFormat {
  /** Parses a text; null where it says nothing. Throws a `BadText` where it is not of this format. */
  readonly parse: (text: string) => Json;
  readonly change: (text: string, step: TextChange) => string;
}

/** A person's file that can't be read in its format. */
export class SettingsSyntaxError extends Error {
  readonly line: number | null;

  constructor(line: number | null, message: string) {
    super(message);
    this.name = 'BadText';
    this.line = line;
  }
}

export const getLineNumber = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** The indentation that the file has already; two spaces where nothing tells. */
export const detectIndent = (text: string): string => /^([ \t]+)[^\s]/mu.exec(text)?.[1] ?? '  ';

/** The tree that a parser gives, without the parser's own prototypes: so that one tree can be compared with another. */
export function toPlainTree(value: unknown): Json {
  if (Array.isArray(value)) return value.map(toPlainTree);
  const isTable = typeof value === 'object' && value !== null && !(value instanceof Date);
  // A value that JSON has no word for (a date) is only compared and never written.
  if (!isTable) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlainTree(inner)]));
}
