import type { Json } from '#contract/vocabulary/json.js';
import type { Step } from './edits.js';

/** A way to write settings down. What it changes is as little of the text as it can be. */
export interface Format {
  /** Null for a text that says nothing. Throws a `BadText` where it is not of this format. */
  readonly parse: (text: string) => Json;
  readonly change: (text: string, step: Step) => string;
}

/** A person's file that can't be read as what it should be. */
export class BadText extends Error {
  readonly line: number | null;

  constructor(line: number | null, message: string) {
    super(message);
    this.name = 'BadText';
    this.line = line;
  }
}

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

/** How the file is indented already; two spaces where nothing tells. */
export const indentOf = (text: string): string => /^([ \t]+)[^\s]/mu.exec(text)?.[1] ?? '  ';

/** What a parser gives, without the prototypes of its own: so that one tree can be compared with another. */
export function plainTree(value: unknown): Json {
  if (Array.isArray(value)) return value.map(plainTree);
  const isTable = typeof value === 'object' && value !== null && !(value instanceof Date);
  // What JSON has no word for (a date) is only compared and never written.
  if (!isTable) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainTree(inner)]));
}
