/** The word at the caret that is completed, “@sr” or “/re”, and its position. */
export interface TypedWord {
  readonly mark: '@' | '/';
  readonly from: number;
  readonly query: string;
}

const AT_WORD = /(?:^|\s)@([^\s@]{0,200})$/u;
/** Only at the very beginning: paths begin like that elsewhere. */
const SLASH_WORD = /^\/([^\s/]{0,200})$/u;

export function findTypedWord(text: string, caret: number): TypedWord | null {
  const before = text.slice(0, caret);
  const [mark, query] = [['@', AT_WORD.exec(before)?.[1]] as const, ['/', SLASH_WORD.exec(before)?.[1]] as const].find(
    ([, found]) => found !== undefined,
  ) ?? ['@', undefined];
  return query === undefined ? null : { mark, from: before.length - query.length - 1, query };
}

/** The text with the chosen option in the word’s place, and where the caret is then. */
export function replaceTypedWord(
  text: string,
  word: Pick<TypedWord, 'from' | 'query'>,
  chosen: string,
): { readonly text: string; readonly caret: number } {
  const end = word.from + 1 + word.query.length;
  const after = text.slice(end);
  const said = `${chosen}${/^\s/u.test(after) || chosen === '' ? '' : ' '}`;
  return { text: text.slice(0, word.from) + said + after, caret: word.from + said.length };
}
