/**
 * Marks a long run of blanks, which would push what follows out of sight, in a line of a file as in a command. The mark
 * says how long the run is, so that what follows is beside what went before.
 */
export type BlankPart =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'blanks'; readonly count: number };

/** So many columns are no indentation any more. */
const FAR_COLUMNS = 60;
const TAB_COLUMNS = 4;
/** The share of a line's room that a mark takes. */
const MARK_LENGTH = 20;
const RUN = /[ \t]{15,}/gu;

const isFar = (run: string): boolean =>
  Array.from(run).reduce((columns, blank) => columns + (blank === '\t' ? TAB_COLUMNS : 1), 0) >= FAR_COLUMNS;

export function splitFarBlanks(text: string): readonly BlankPart[] {
  const parts: BlankPart[] = [];
  let from = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    if (!isFar(run)) continue;
    if (index > from) parts.push({ kind: 'text', text: text.slice(from, index) });
    parts.push({ kind: 'blanks', count: run.length });
    from = index + run.length;
  }
  if (from < text.length) parts.push({ kind: 'text', text: text.slice(from) });
  return parts;
}

/** Where a line is cut that may be so long: blanks that are drawn as a mark count for no more than that, nor than they are. */
export function cutAtCharacter(text: string, limit: number): number {
  let at = 0;
  let room = limit;
  for (const part of splitFarBlanks(text)) {
    const length = part.kind === 'text' ? part.text.length : Math.min(MARK_LENGTH, part.count);
    if (length > room) return part.kind === 'text' ? at + room : at;
    room -= length;
    at += part.kind === 'text' ? part.text.length : part.count;
  }
  return at;
}
