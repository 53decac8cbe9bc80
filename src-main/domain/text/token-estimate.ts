/**
 * How many tokens a text takes, about, and rather too many than too few: each provider counts in its own way, and not all of
 * them say how. Held against two kept vocabularies (docs/adr/0036): over source, prose, JSON, logs and other scripts it gives
 * nine tenths of the larger count at least, and for source and English prose a quarter to a half more.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let run = OTHER;
  let length = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const code = at === text.length ? END : text.charCodeAt(at);
    const kind = characterKind(code);
    if (kind === run) {
      length += 1;
      continue;
    }
    tokens += estimateRunCost(run, length);
    run = kind;
    length = 1;
  }
  return Math.ceil(tokens);
}

const END = -1;
const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const BLANK = 3;
const LINE = 4;
const OTHER = 5;
const LETTERS = 6;
/** Scripts in which most letters are a token. */
const WIDE = 7;
/** Half of a character beyond the first plane: emoji, most of all. */
const PICTURE = 8;

function characterKind(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if (code === 0x20 || code === 0x09) return BLANK;
  if (code === 0x0a || code === 0x0d) return LINE;
  if (code < 0x80) return OTHER;
  if (code < 0x900) return LETTERS;
  return code >= 0xd800 && code < 0xe000 ? PICTURE : WIDE;
}

/**
 * Estimates the cost of a run of one kind. A word costs one, and more the longer it is; what looks like no word costs
 * by its length.
 */
function estimateRunCost(kind: number, length: number): number {
  switch (kind) {
    case LOWER:
      return 0.7 + length / 9;
    case UPPER:
      return 0.6 + length / 3;
    case DIGIT:
      return 0.8 + length / 3;
    case BLANK:
      return length === 1 ? 0.2 : 0.8 + length / 40;
    case LINE:
      return 0.9;
    case LETTERS:
      return 0.4 + length * 0.8;
    case WIDE:
      return length * 1.2;
    case PICTURE:
      return length * 1.8;
    default:
      return 0.4 + length / 2;
  }
}
