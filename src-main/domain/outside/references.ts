/** A value as settings have it: as it is, or a secret by its name with what stands before it (`Bearer secret:github`). */
export type SettingValue =
  | { readonly kind: 'plain'; readonly value: string }
  | { readonly kind: 'reference'; readonly prefix: string; readonly from: string; readonly name: string };

/** A reference is the last word of its value. What only looks like one would go out as it stands, so it is none of either: null. */
export function readSettingValue(value: string): SettingValue | null {
  const [, prefix = '', from, name] = /^(.*\s)?((?:secret|env):([\w.:/@-]+))$/su.exec(value) ?? [];
  const isNamed = from !== undefined && name !== undefined;
  if (HOLDS_REFERENCE.test(isNamed ? prefix : value)) return null;
  return isNamed ? { kind: 'reference', prefix, from, name } : { kind: 'plain', value };
}

const HOLDS_REFERENCE = /(?:^|\s)(?:secret|env):/u;

/** What others wrote names a key of the person's, or could be taken for it, in whatever spelling: the words that do; else null. */
export function namedKeyIn(text: string): string | null {
  for (const spelling of spellingsOf(text)) {
    const [named] = NAMES_KEY.exec(spelling) ?? [];
    if (named !== undefined) return named.trim().slice(0, 100);
  }
  return null;
}

const NAMES_KEY = /(?<![\p{L}\p{N}_.-])(?:secret|env|vault|sign-in)\s*:\s*[^\s:/][^\s]*/iu;
const ROUNDS = 4;

/** Without what can't be seen, in one width of letters, and as it is once `%XX` is read, and read again. */
function* spellingsOf(text: string): Generator<string> {
  let spelling = text;
  for (let round = 0; round < ROUNDS; round += 1) {
    const plain = spelling.normalize('NFKC').replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '');
    yield plain;
    const read = plain.replaceAll(/%([0-7][0-9a-f])/giu, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (read === plain) return;
    spelling = read;
  }
}

/** Keys of Gatehouse’s own and those of models: who has them looks them up by itself, and no reference stands for one. */
export const isKeptFromReferences = (name: string): boolean => /^(?:gatehouse|model):/iu.test(name);
