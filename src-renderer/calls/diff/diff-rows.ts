import type { DiffLine } from './line-diff.js';

/** A drawn row of a comparison. `side` layout pairs the two files; `unified` stacks them. */
export type DiffRow =
  | { readonly kind: 'line'; readonly line: DiffLine }
  | { readonly kind: 'pair'; readonly left: DiffLine | null; readonly right: DiffLine | null }
  /** Unchanged lines that are left out until asked for. `id` is the index of the first of them. */
  | { readonly kind: 'gap'; readonly id: number; readonly count: number };

export type DiffLayout = 'unified' | 'side';

const CONTEXT_LINES = 3;
/** A gap that would hide fewer lines than this costs more than it saves. */
const SMALLEST_GAP = 4;

export function buildDiffRows(
  lines: readonly DiffLine[],
  layout: DiffLayout,
  opened: ReadonlySet<number>,
): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let at = 0;
  while (at < lines.length) {
    const from = at;
    const same = lines[at]?.kind === 'same';
    while (at < lines.length && (lines[at]?.kind === 'same') === same) at += 1;
    const run = lines.slice(from, at);
    if (!same) rows.push(...(layout === 'side' ? pairs(run) : run.map((line): DiffRow => ({ kind: 'line', line }))));
    else rows.push(...unchanged(run, from, from === 0, at === lines.length, layout, opened));
  }
  return rows;
}

function unchanged(
  run: readonly DiffLine[],
  offset: number,
  first: boolean,
  last: boolean,
  layout: DiffLayout,
  opened: ReadonlySet<number>,
): readonly DiffRow[] {
  const head = first ? 0 : CONTEXT_LINES;
  const tail = last ? 0 : CONTEXT_LINES;
  const hidden = run.length - head - tail;
  const id = offset + head;
  const show = (part: readonly DiffLine[]): DiffRow[] =>
    part.map((line): DiffRow =>
      layout === 'side' ? { kind: 'pair', left: line, right: line } : { kind: 'line', line },
    );
  if (hidden < SMALLEST_GAP || opened.has(id)) return show(run);
  return [...show(run.slice(0, head)), { kind: 'gap', id, count: hidden }, ...show(run.slice(run.length - tail))];
}

function pairs(run: readonly DiffLine[]): readonly DiffRow[] {
  const left = run.filter(({ kind }) => kind === 'removed');
  const right = run.filter(({ kind }) => kind === 'added');
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => ({
    kind: 'pair',
    left: left[index] ?? null,
    right: right[index] ?? null,
  }));
}
