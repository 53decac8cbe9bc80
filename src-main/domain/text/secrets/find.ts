import { commandSecrets } from './commands.js';
import { privateKeys } from './keys.js';
import { knownSecrets, type KnownValues, NOTHING_KNOWN } from './known.js';
import { namedSecrets } from './named.js';
import { mergeSpans, REDACTED, type Span } from './spans.js';
import { tokenSecrets } from './tokens.js';

/** A detector that others keep: its rules, run over a text. */
export type Detector = (text: string) => readonly Span[];

export interface Means {
  readonly known: KnownValues;
  readonly detector: Detector;
}

export const STRUCTURE_ALONE: Means = { known: NOTHING_KNOWN, detector: () => [] };

/** Every place of a text that holds a secret, as far as can be told. Better one too many than one too few; never a guarantee. */
export function findSecrets(text: string, means: Means): readonly Span[] {
  if (PLAIN.test(text)) return mergeSpans(inPlain(text, means));
  const spans = mergeSpans([...found(text, means), ...encoded(text, means)]);
  return text.includes(REDACTED) ? spans.filter((span) => !isMark(text, span)) : spans;
}

/** A word, a path, a number, a hash. Most texts of the gate are no more. */
const PLAIN = /^[\w./-]*$/u;
/** No token is this short. */
const TOO_SHORT = 12;

/**
 * In one run of such characters there is no room for a name with its value, an option with its password, an armoured key or
 * anything encoded: all of these need a blank, a quote or another sign. What is left is what says itself that it is secret.
 */
function inPlain(text: string, { known, detector }: Means): readonly Span[] {
  const spans = knownSecrets(text, known);
  return text.length <= TOO_SHORT ? spans : [...tokenSecrets(text), ...detector(text), ...spans];
}

/** What was blotted out already, with what stands around it at most. */
function isMark(text: string, { start, end }: Span): boolean {
  if (end - start > 2 * REDACTED.length) return false;
  const around = text.slice(Math.max(0, start - 1), end + 1);
  return around.includes(REDACTED) && text.slice(start, end).replace(REDACTED, '').replace('redacted', '').length <= 1;
}

function found(text: string, { known, detector }: Means): readonly Span[] {
  return [
    ...namedSecrets(text),
    ...tokenSecrets(text),
    ...privateKeys(text),
    ...commandSecrets(text),
    ...detector(text),
    ...knownSecrets(text, known),
  ];
}

/** A run of URL-encoded text: `%22password%22%3A%22…`. */
const PERCENT = /[\w.~!*'()+&=:;,/?@$-]{0,512}(?:%[0-9A-Fa-f]{2}[\w.~!*'()+&=:;,/?@$-]{0,512}){2,4096}/gu;
/** A character that JSON has as its number: `\u0070assword`, and `\u0022` for quotes. */
const NUMBERED = /(?:\\u00[0-7][0-9A-Fa-f])/u;

/** What is written in another way is read so, and what is found there is taken out here. */
function encoded(text: string, means: Means): Span[] {
  const spans: Span[] = [];
  if (/%(?:3[Dd]|3[Aa]|2[02-7])/u.test(text)) {
    for (const match of text.matchAll(PERCENT))
      spans.push(...through(decoded(match[0], /%([0-9A-Fa-f]{2})/uy), match.index, means));
  }
  if (NUMBERED.test(text)) spans.push(...through(decoded(text, /\\u00([0-7][0-9A-Fa-f])/uy), 0, means));
  return spans;
}

interface Decoded {
  readonly text: string;
  /** Where each character of it begins in what it was decoded from, and where the last one ends. */
  readonly places: Uint32Array;
}

function decoded(text: string, escape: RegExp): Decoded {
  const parts: string[] = [];
  const places = new Uint32Array(text.length + 1);
  let length = 0;
  for (let at = 0; at < text.length;) {
    places[length] = at;
    length += 1;
    escape.lastIndex = at;
    const code = /[%\\]/u.test(text.charAt(at)) ? escape.exec(text)?.[1] : undefined;
    parts.push(code === undefined ? text.charAt(at) : String.fromCharCode(Number.parseInt(code, 16)));
    at += code === undefined ? 1 : escape.lastIndex - at;
  }
  places[length] = text.length;
  return { text: parts.join(''), places };
}

function through({ text, places }: Decoded, offset: number, means: Means): Span[] {
  return found(text, means).map(({ start, end }) => ({
    start: offset + (places[start] ?? 0),
    end: offset + (places[end] ?? 0),
  }));
}
