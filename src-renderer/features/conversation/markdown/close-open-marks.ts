import remend from 'remend';

/** A mark that may yet become another thing than what it looks like alone. */
const UNDECIDED = /(?:^|\n)[ \t]*(?:[-*+>_=~`|#]+|\d{1,9}[.)]?)[ \t]*$/u;
/** A first row that is no table yet. */
const MAYBE_TABLE = /^[ \t]*\|[^\n]*(?:\n[ \t|:-]*)?$/u;

/** Completes the block that is being written, so that it looks now as it will: open marks are closed, nothing jumps. */
export function closeOpenMarks(raw: string): string {
  if (/^ {0,3}(?:`{3,}|~{3,})/u.test(raw)) return raw;
  if (MAYBE_TABLE.test(raw)) return '';
  return remend(raw.replace(UNDECIDED, ''), { linkMode: 'text-only', htmlTags: false, images: false, katex: false });
}
