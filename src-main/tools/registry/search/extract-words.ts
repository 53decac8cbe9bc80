/** Words that say nothing of what a tool does. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be been before but by can could did do does for from get had has have how i if in
   into is it its just like me my need not now of off on one only or our out over please set so some something than that the their
   them then there these they this those to up us use used using want was we were what when where which while who whose why will
   with would you your`.split(/\s+/u),
);

/** More than the longest text that is looked at has. */
const MAX_WORD_LENGTH = 40;

/** The words of a text, each once and without its ending; of names too: `createIssue` and `create_issue` are two words. */
export function extractWords(text: string): ReadonlySet<string> {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase();
  const words = new Set<string>();
  for (const [word] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (word.length <= MAX_WORD_LENGTH && !STOP_WORDS.has(word)) words.add(stemWord(word));
  }
  return words;
}

const VOWEL = /[aeiouy]/u;

/** So that “merged”, “merging” and “merges” are one word. Both sides go through it, so it need not be English that is left. */
export function stemWord(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/u.test(word)) return word;
  let stem = word;
  if (stem.endsWith('ies')) stem = `${stem.slice(0, -3)}y`;
  else if (/[^siu]s$/u.test(stem)) stem = stem.slice(0, -1);
  for (const ending of ['ing', 'ed', 'ly']) {
    const rest = stem.slice(0, -ending.length);
    if (!stem.endsWith(ending) || rest.length < 3 || !VOWEL.test(rest)) continue;
    stem = /([^aeiouls])\1$/u.test(rest) ? rest.slice(0, -1) : rest;
    break;
  }
  return stem.length > 3 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}
