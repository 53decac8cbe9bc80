import { COMMANDS } from './commands.js';
import { PRIVATE_KEYS } from './private-keys.js';
import { knownRule, type KnownValues, NOTHING_KNOWN } from './known-values.js';
import { UNSEEN } from './names.js';
import { NAMED } from './named-values.js';
import { OTHER_NAMES } from './other-names.js';
import { anchorOf, type SecretRule, SecretRuleSet, type TextRule } from './rules.js';
import { mergeSpans, REDACTED, type Span } from './spans.js';
import { TOKENS } from './tokens.js';

/** A detector that others keep: its rules, run over a text with ours. */
export type Detector = readonly TextRule[];

export interface SecretDetectors {
  readonly known: KnownValues;
  readonly detector: Detector;
}

export const STRUCTURE_ONLY: SecretDetectors = { known: NOTHING_KNOWN, detector: [] };

/** Every place of a text that holds a secret, as far as can be told. Better one too many than one too few; never a guarantee. */
export function findSecrets(text: string, means: SecretDetectors): readonly Span[] {
  const spans = mergeSpans(buildRules(means).find(text));
  return spans.length > 0 && text.includes(REDACTED) ? spans.filter((span) => !isMark(text, span)) : spans;
}

/** False only where nothing is found: one look at the text, that takes a thousandth of a second for a million characters. */
export const mayHoldSecrets = (text: string, means: SecretDetectors): boolean => buildRules(means).mayFind(text);

const sets = new WeakMap<SecretDetectors, SecretRuleSet>();

/** Builds the rules that are run over a text together. */
export function buildRules(means: SecretDetectors): SecretRuleSet {
  const known = sets.get(means);
  if (known !== undefined) return known;
  const plain = new SecretRuleSet([
    NAMED,
    OTHER_NAMES,
    ...TOKENS,
    PRIVATE_KEYS,
    ...COMMANDS,
    ...means.detector,
    knownRule(means.known),
  ]);
  const all = new SecretRuleSet([...plain.rules, ...encodedRules(plain)]);
  sets.set(means, all);
  return all;
}

/** Whether a span was blotted out already, with what stands around it at most. */
function isMark(text: string, { start, end }: Span): boolean {
  if (end - start > 2 * REDACTED.length) return false;
  const around = text.slice(Math.max(0, start - 1), end + 1);
  return around.includes(REDACTED) && text.slice(start, end).replace(REDACTED, '').replace('redacted', '').length <= 1;
}

/** A run of URL-encoded text: `%22password%22%3A%22…`. */
const PERCENT = /[\w.~!*'()+&=:;,/?@$-]{0,512}(?:%[0-9A-Fa-f]{2}[\w.~!*'()+&=:;,/?@$-]{0,512}){1,4096}/gu;

/** Signs of a run that is worth decoding: an equals sign, a colon, a blank or a quote is in it. */
const ESCAPED = /%(?:3[Dd]|3[Aa]|2[02-7])/u;
/** Limit of decoding rounds: encoded text is sometimes encoded again. */
const MAX_DECODINGS = 3;

/** ASCII in the width of Chinese characters. */
const WIDE = /([\uff01-\uff5e])/gu;
/** Three of them in a row, as the rule's anchor has it: a single one is a mark of another script. */
const WIDE_RUN = /[\uff21-\uff3a\uff41-\uff5a][^\0-\x7f\s\u017f\u212a]{2}/u;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
/** A letter, something beyond ASCII, and a letter again or more of it. */
const AROUND_UNSEEN = LETTERS.flatMap((one) => LETTERS.map((two) => ({ three: `${one}é${two}` })));

/** Rules for text that is written in another way: it is decoded, and what is found there is taken out here. */
const encodedRules = (plain: SecretRuleSet): readonly SecretRule[] => [
  {
    anchors: [anchorOf('%0d %0a %00', ESCAPED)],
    find: (text) => {
      // Looking for runs takes long where there is none.
      const runs = ESCAPED.test(text) ? [...text.matchAll(PERCENT)] : [];
      return runs.flatMap((run) => percentDecoded(run[0], run.index, plain));
    },
  },
  // A character that JSON has as its number: `\u0070assword`, and `\u0022` for quotes.
  {
    anchors: [anchorOf('\\u0', /\\u00[0-7][0-9A-Fa-f]/u)],
    find: (text) => findDecoded(decoded(text, /\\u00([0-7][0-9A-Fa-f])/gu, byNumber), 0, plain),
  },
  {
    anchors: [{ signs: [{ three: 'ééé' }], at: (text, index) => isWideLetter(text.charCodeAt(index)) }],
    find: (text) => (WIDE_RUN.test(text) ? findDecoded(decoded(text, WIDE, narrow), 0, plain) : []),
  },
  {
    anchors: [{ signs: AROUND_UNSEEN, at: (text, index) => isUnseen(text.charAt(index + 1)) }],
    find: (text) =>
      findDecoded(
        decoded(text, UNSEEN, () => ''),
        0,
        plain,
      ),
  },
];

const byNumber = (code: string): string => String.fromCharCode(Number.parseInt(code, 16));
const narrow = (wide: string): string => String.fromCharCode(wide.charCodeAt(0) - 0xfee0);
const isWideLetter = (unit: number): boolean =>
  (unit >= 0xff21 && unit <= 0xff3a) || (unit >= 0xff41 && unit <= 0xff5a);
const isUnseen = (char: string): boolean => {
  UNSEEN.lastIndex = 0;
  return UNSEEN.test(char);
};

function percentDecoded(run: string, offset: number, plain: SecretRuleSet): readonly Span[] {
  const spans: Span[] = [];
  let read = decoded(run, /%([0-9A-Fa-f]{2})/gu, byNumber);
  for (let times = 1; ; times += 1) {
    spans.push(...findDecoded(read, offset, plain));
    if (times === MAX_DECODINGS || !ESCAPED.test(read.text)) return spans;
    const before = read;
    const again = decoded(before.text, /%([0-9A-Fa-f]{2})/gu, byNumber);
    read = { text: again.text, places: again.places.map((place) => before.places[place] ?? 0) };
  }
}

interface Decoded {
  readonly text: string;
  /** Where each character of it begins in what it was decoded from, and where the last one ends. */
  readonly places: Uint32Array;
}

function decoded(text: string, escape: RegExp, says: (code: string) => string): Decoded {
  const parts: string[] = [];
  const places = new Uint32Array(text.length + 1);
  let length = 0;
  let at = 0;
  const upTo = (end: number): void => {
    parts.push(text.slice(at, end));
    while (at < end) places[length++] = at++;
  };
  for (const { index, 0: whole, 1: code = '' } of text.matchAll(escape)) {
    upTo(index);
    const said = says(code);
    parts.push(said);
    if (said !== '') places[length++] = at;
    at += whole.length;
  }
  upTo(text.length);
  places[length] = text.length;
  return { text: parts.join(''), places };
}

function findDecoded({ text, places }: Decoded, offset: number, plain: SecretRuleSet): readonly Span[] {
  return plain.find(text).map(({ start, end }) => ({
    start: offset + (places[start] ?? 0),
    end: offset + (places[end] ?? 0),
  }));
}
