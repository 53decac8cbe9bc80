import { diffArrays } from 'diff';

/** A line of a comparison. A changed pair carries the span that differs, so that the eye finds it. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  readonly text: string;
  /** UTF-16 span of `text` that differs from its partner; null for whole lines. */
  readonly changed: readonly [number, number] | null;
  /** The line has no line break at its end, and its file ends there. */
  readonly noNewline: boolean;
}

export interface LineDiff {
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
  /** The texts differ too much to compare in reasonable time: everything old is shown, then everything new. */
  readonly coarse: boolean;
}

/** Past this many differing lines a line-by-line comparison is no help to anybody, and would freeze the window. */
const MAX_EDITS = 4000;
const TIMEOUT_MS = 150;

interface Split {
  readonly lines: string[];
  readonly noNewline: boolean;
}

function split(text: string): Split {
  if (text === '') return { lines: [], noNewline: false };
  const lines = text.split('\n');
  if (lines.at(-1) === '') return { lines: lines.slice(0, -1), noNewline: false };
  return { lines, noNewline: true };
}

export function diffTexts(before: string, after: string): LineDiff {
  const [old, next] = [split(before), split(after)];
  // The last lines differ if only one of them ends its file without a line break.
  const oldKeys = keys(old);
  const newKeys = keys(next);
  let head = 0;
  while (head < oldKeys.length && head < newKeys.length && oldKeys[head] === newKeys[head]) head += 1;
  let tail = 0;
  while (
    tail < oldKeys.length - head &&
    tail < newKeys.length - head &&
    oldKeys[oldKeys.length - 1 - tail] === newKeys[newKeys.length - 1 - tail]
  ) {
    tail += 1;
  }
  const changes = diffArrays(oldKeys.slice(head, oldKeys.length - tail), newKeys.slice(head, newKeys.length - tail), {
    maxEditLength: MAX_EDITS,
    timeout: TIMEOUT_MS,
  });

  const writer = new LineWriter(old, next);
  writer.same(head);
  if (changes === undefined) {
    writer.change(oldKeys.length - tail - head, newKeys.length - tail - head);
  } else {
    let removed = 0;
    let added = 0;
    for (const change of changes) {
      if (change.removed) removed += change.count;
      else if (change.added) added += change.count;
      else {
        writer.change(removed, added);
        [removed, added] = [0, 0];
        writer.same(change.count);
      }
    }
    writer.change(removed, added);
  }
  writer.same(tail);
  return { lines: writer.lines, added: writer.added, removed: writer.removed, coarse: changes === undefined };
}

function keys({ lines, noNewline }: Split): string[] {
  return noNewline ? [...lines.slice(0, -1), `${lines.at(-1) ?? ''}\n`] : lines;
}

class LineWriter {
  readonly lines: DiffLine[] = [];
  added = 0;
  removed = 0;
  readonly #old: Split;
  readonly #new: Split;
  #oldAt = 0;
  #newAt = 0;

  constructor(old: Split, next: Split) {
    this.#old = old;
    this.#new = next;
  }

  same(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#oldAt += 1;
      this.#newAt += 1;
      this.lines.push({
        kind: 'same',
        oldNumber: this.#oldAt,
        newNumber: this.#newAt,
        text: this.#new.lines[this.#newAt - 1] ?? '',
        changed: null,
        noNewline: this.#new.noNewline && this.#newAt === this.#new.lines.length,
      });
    }
  }

  /** A block of removed lines and the added ones that take their place; paired line by line to mark what differs. */
  change(removed: number, added: number): void {
    const [oldFrom, newFrom] = [this.#oldAt, this.#newAt];
    for (let i = 0; i < removed; i++) {
      const text = this.#old.lines[oldFrom + i] ?? '';
      const partner = i < added ? this.#new.lines[newFrom + i] : undefined;
      this.#oldAt += 1;
      this.lines.push({
        kind: 'removed',
        oldNumber: this.#oldAt,
        newNumber: null,
        text,
        changed: partner === undefined ? null : findDifferingSpan(text, partner),
        noNewline: this.#old.noNewline && this.#oldAt === this.#old.lines.length,
      });
    }
    for (let i = 0; i < added; i++) {
      const text = this.#new.lines[newFrom + i] ?? '';
      const partner = i < removed ? this.#old.lines[oldFrom + i] : undefined;
      this.#newAt += 1;
      this.lines.push({
        kind: 'added',
        oldNumber: null,
        newNumber: this.#newAt,
        text,
        changed: partner === undefined ? null : findDifferingSpan(text, partner),
        noNewline: this.#new.noNewline && this.#newAt === this.#new.lines.length,
      });
    }
    this.removed += removed;
    this.added += added;
  }
}

/** Finds the span between the common beginning and the common end; null where nearly everything differs. */
export function findDifferingSpan(text: string, partner: string): readonly [number, number] | null {
  const limit = Math.min(text.length, partner.length);
  let start = 0;
  while (start < limit && text[start] === partner[start]) start += 1;
  let end = 0;
  while (end < limit - start && text[text.length - 1 - end] === partner[partner.length - 1 - end]) end += 1;
  // Never cut a surrogate pair in two.
  if (start > 0 && isLowSurrogate(text.charCodeAt(start))) start -= 1;
  if (end > 0 && isLowSurrogate(text.charCodeAt(text.length - end))) end -= 1;
  const shared = start + end;
  if (shared === 0 || shared < Math.max(text.length, partner.length) / 4) return null;
  return [start, text.length - end];
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
