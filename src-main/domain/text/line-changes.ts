import type { LineChanges } from '#contract/vocabulary/calls.js';

/** Past so many the counting would keep others waiting. */
const MAX_EDITS = 1000;
const MAX_BYTES = 1024 * 1024;

/** The node at a path: a link has no lines, and of some files the bytes are not known. */
type PathNode = { readonly kind: 'file'; readonly content: Uint8Array | null } | { readonly kind: 'link' } | null;

/** The same of what stood at a path and what stands there now; nothing is as an empty file. */
export function countChangedLines(before: PathNode, after: PathNode): LineChanges | null {
  const [old, now] = [nodeContent(before), nodeContent(after)];
  return old === null || now === null ? null : lineChanges(old, now);
}

const nodeContent = (node: PathNode): Uint8Array | null =>
  node === null ? NOTHING : node.kind === 'file' ? node.content : null;
const NOTHING = new Uint8Array();

/** How many lines came and went, at the fewest. Null for what is no text, and where it is too much to be counted. */
function lineChanges(before: Uint8Array, after: Uint8Array): LineChanges | null {
  const [old, now] = [splitLines(before), splitLines(after)];
  if (old === null || now === null) return null;
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  const shorter = Math.min(old.length, now.length) - head;
  while (tail < shorter && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const from = old.slice(head, old.length - tail);
  const to = now.slice(head, now.length - tail);
  const edits = fewestEdits(from, to);
  if (edits === null) return null;
  return { added: (edits + to.length - from.length) / 2, removed: (edits + from.length - to.length) / 2 };
}

/** The greedy search of Myers: how far each diagonal can be reached with so many edits. */
function fewestEdits(from: readonly string[], to: readonly string[]): number | null {
  const [rows, columns] = [from.length, to.length];
  const known = new Set(from);
  // With nothing in common, and that is often so, there is nothing to search.
  if (!to.some((line) => known.has(line))) return rows + columns;
  const most = Math.min(rows + columns, MAX_EDITS);
  const reached = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const at = (diagonal: number): number => reached[middle + diagonal] ?? 0;
  for (let edits = 0; edits <= most; edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
      let row = down ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (row < rows && row - diagonal < columns && from[row] === to[row - diagonal]) row += 1;
      reached[middle + diagonal] = row;
      if (row >= rows && row - diagonal >= columns) return edits;
    }
  }
  return null;
}

/** Splits into lines with their line breaks: a last line without one is another line. */
function splitLines(content: Uint8Array): readonly string[] | null {
  if (content.byteLength > MAX_BYTES) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    return text.includes('\0') ? null : text === '' ? [] : text.split(/(?<=\n)/u);
  } catch {
    return null;
  }
}
