/** A value as settings have it: plain, or a secret by its name with the text before it (`Bearer secret:github`). */
export type SettingValue =
  | { readonly kind: 'plain'; readonly value: string }
  | { readonly kind: 'reference'; readonly prefix: string; readonly from: string; readonly name: string };

/**
 * Reads a value. A reference is the last word of its value. A value that only looks like one would go out as it is, so
 * it is neither: null.
 */
export function parseSettingValue(value: string): SettingValue | null {
  const [, prefix = '', from, name] = /^(.*\s)?((?:secret|env):([\w.:/@-]+))$/su.exec(value) ?? [];
  const isNamed = from !== undefined && name !== undefined;
  if (HOLDS_REFERENCE.test(isNamed ? prefix : value)) return null;
  return isNamed ? { kind: 'reference', prefix, from, name } : { kind: 'plain', value };
}

const HOLDS_REFERENCE = /(?:^|\s)(?:secret|env):/u;

/**
 * Finds words in somebody else's text that name a key of the person's, or could be taken for it, in whatever spelling;
 * null where there are none.
 */
export function findNamedKey(text: string): string | null {
  for (const spelling of listSpellings(text)) {
    const [named] = NAMES_KEY.exec(spelling) ?? [];
    if (named !== undefined) return named.trim().slice(0, 100);
  }
  return null;
}

const NAMES_KEY = /(?<![\p{L}\p{N}_.-])(?:secret|env|vault|sign-in)\s*:\s*[^\s:/][^\s]*/iu;
const MAX_DECODINGS = 4;

/**
 * The spellings of a text: without what can't be seen, in one width of letters, and decoded once `%XX` is read, and
 * read again.
 */
function* listSpellings(text: string): Generator<string> {
  let spelling = text;
  for (let round = 0; round < MAX_DECODINGS; round += 1) {
    const plain = spelling.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '');
    yield plain;
    const read = plain.replaceAll(/%([0-7][0-9a-f])/giu, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (read === plain) return;
    spelling = read;
  }
}

/**
 * Whether a name is of a key of Gatehouse’s own or of a model: who has them looks them up by itself, and no reference
 * names one.
 */
export const isReservedKeyName = (name: string): boolean => /^(?:gatehouse|model):/iu.test(name);
