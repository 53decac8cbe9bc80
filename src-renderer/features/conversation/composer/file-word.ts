/** “@sr” at the caret: what is completed, and where it stands. */
export interface FileWord {
  readonly from: number;
  readonly query: string;
}

const WORD = /(?:^|\s)@([^\s@]{0,200})$/u;

export function fileWordAt(text: string, caret: number): FileWord | null {
  const before = text.slice(0, caret);
  const query = WORD.exec(before)?.[1];
  return query === undefined ? null : { from: before.length - query.length - 1, query };
}

/** The text with the file’s path in the word’s place, and where the caret stands then. */
export function withFile(
  text: string,
  word: FileWord,
  path: string,
): { readonly text: string; readonly caret: number } {
  const end = word.from + 1 + word.query.length;
  const after = text.slice(end);
  const said = `@${path}${/^\s/u.test(after) ? '' : ' '}`;
  return { text: text.slice(0, word.from) + said + after, caret: word.from + said.length };
}
