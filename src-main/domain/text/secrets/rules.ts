import type { Span } from './spans.js';

/**
 * Three characters of an anchor and what may follow them, if not anything. A letter stands for its capital too, `0` for each
 * digit, `-` and `_` for one another, `q` and `z`, each of all beyond ASCII, and so does each of `/$%\?&;` and each of all
 * that is none of these, nor `:` or `.`.
 */
export interface Sign {
  readonly three: string;
  readonly next?: string;
  /** So far behind the beginning of the anchor. */
  readonly behind?: number;
}

/** An anchor: text without which a rule finds nothing. */
export interface Anchor {
  /** Signs, of which one is in it. */
  readonly signs: readonly Sign[];
  /** Whether it really begins there. */
  readonly at: (text: string, index: number) => boolean;
}

/** A rule that looks through a text by itself, where one of its anchors is in it. */
export interface TextRule {
  /** Null where nobody knows: it is always asked. */
  readonly anchors: readonly Anchor[] | null;
  readonly find: (text: string) => readonly Span[];
}

/** A rule that many texts have anchors of: it is given the places of all of them, in their order. */
export interface PlaceRule {
  readonly anchors: readonly Anchor[];
  readonly findAt: (text: string, places: readonly number[]) => readonly Span[];
}

export type SecretRule = TextRule | PlaceRule;

/** Builds an anchor with how it begins: words, of each the first four characters. */
export function anchorOf(begins: string | readonly Sign[], pattern: RegExp): Anchor {
  const sticky = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/u, '')}y`);
  return {
    signs: typeof begins === 'string' ? begins.split(' ').map(signOf) : begins,
    at(text, index) {
      sticky.lastIndex = index;
      return sticky.test(text);
    },
  };
}

export const literally = (...texts: readonly string[]): readonly Anchor[] =>
  texts.map((each) => {
    // A text is looked for by its end: `sk-` is how many begin.
    const behind = Math.max(0, each.length - 4);
    return {
      signs: [{ ...signOf(each.slice(behind)), behind }],
      at: (text, index) => text.startsWith(each, index),
    };
  });

export const signOf = (begin: string): Sign =>
  begin.length < 4 ? { three: begin } : { three: begin.slice(0, 3), next: begin.charAt(3) };

const BITS = 5;
const MASK = 2 ** (3 * BITS) - 1;
const OTHER = 31;
const ANY = 0xffffffff;
/** The kind of each UTF-16 unit. Two letters beyond ASCII are written small as `s` and `k`, where case is folded. */
const KIND = new Uint8Array(65_536).fill(OTHER);
for (let letter = 0; letter < 26; letter += 1) KIND[0x41 + letter] = KIND[0x61 + letter] = letter;
for (const [kind, units] of ['0123456789', '_-', ':', '.', '/$%\\?&;'].entries())
  for (const unit of units) KIND[unit.charCodeAt(0)] = 26 + kind;
/** The kind of all beyond ASCII that is no blank is that of `q`, and `q` has that of `z`: few words have either. */
const BEYOND = 16;
KIND[0x51] = KIND[0x71] = 25;
for (let unit = 0x80; unit < KIND.length; unit += 1) if (!/\s/u.test(String.fromCharCode(unit))) KIND[unit] = BEYOND;
KIND[0x17f] = KIND[0x73] ?? OTHER;
KIND[0x212a] = KIND[0x6b] ?? OTHER;

/** Classifies by UTF-16 units, as texts are looked at. */
const kindsOf = (text: string): readonly number[] =>
  Array.from({ length: text.length }, (_, at) => KIND[text.charCodeAt(at)] ?? OTHER);

/** Text is looked at as numbers: taken out of a string one by one they take three times as long. */
const UNITS = new Uint16Array(65_536);
const UNIT_BYTES = Buffer.from(UNITS.buffer);

interface AnchorCheck {
  readonly rule: number;
  /** Whether the rule is given each place, and not only told of the first. */
  readonly takesAll: boolean;
  readonly anchor: Anchor;
  readonly behind: number;
}

interface FoundAnchors {
  /** 1 for each rule that has one. */
  readonly could: Uint8Array;
  /** All of them, of rules that take all. */
  readonly places: Map<number, number[]>;
}

/**
 * Rules that are run over a text together. Which of them could find anything is told by one look at its characters, four at
 * a time: next to all of what a command prints has nothing for any of them.
 */
export class SecretRuleSet {
  readonly rules: readonly SecretRule[];
  readonly #isAlwaysAsked: boolean;
  /** The kinds that may follow each three kinds, one bit each; and the checks to make where one does. */
  readonly #next = new Uint32Array(MASK + 1);
  readonly #checks = new Map<number, AnchorCheck[]>();

  constructor(rules: readonly SecretRule[]) {
    this.rules = rules;
    this.#isAlwaysAsked = rules.some(({ anchors }) => anchors === null);
    for (const [rule, each] of rules.entries()) {
      const takesAll = 'findAt' in each;
      for (const anchor of each.anchors ?? [])
        for (const sign of anchor.signs) this.#add(sign, { rule, takesAll, anchor, behind: sign.behind ?? 0 });
    }
  }

  find(text: string): readonly Span[] {
    const found = this.#look(text, false);
    const spans: Span[] = [];
    for (const [at, rule] of this.rules.entries()) {
      if (found.could[at] === 0 && rule.anchors !== null) continue;
      spans.push(...('find' in rule ? rule.find(text) : rule.findAt(text, found.places.get(at) ?? [])));
    }
    return spans;
  }

  /** False only where `find` finds nothing. */
  mayFind(text: string): boolean {
    return this.#isAlwaysAsked || this.#look(text, true).could.includes(1);
  }

  #add({ three, next }: Sign, check: AnchorCheck): void {
    const kinds = kindsOf(three).reduce((before, kind) => (before << BITS) | kind, 0);
    const following = next === undefined ? ANY : kindsOf(next).reduce((bits, kind) => bits | (1 << kind), 0);
    this.#next[kinds] = (this.#next[kinds] ?? 0) | following;
    const checks = this.#checks.get(kinds);
    if (checks === undefined) this.#checks.set(kinds, [check]);
    else checks.push(check);
  }

  /** Marks each rule that has an anchor in the text; with `one`, no further than to the first. */
  #look(text: string, one: boolean): FoundAnchors {
    const found: FoundAnchors = { could: new Uint8Array(this.rules.length), places: new Map() };
    const next = this.#next;
    let kinds = MASK;
    for (let from = 0; from < text.length; from += UNITS.length) {
      const length = Math.min(UNITS.length, text.length - from);
      UNIT_BYTES.write(length === text.length ? text : text.slice(from, from + length), 'utf16le');
      for (let at = 0; at < length; at += 1) {
        const kind = KIND[UNITS[at] ?? 0] ?? OTHER;
        if ((((next[kinds] ?? 0) >>> kind) & 1) === 1 && this.#check(text, from + at - 3, kinds, found) && one)
          return found;
        kinds = ((kinds << BITS) | kind) & MASK;
      }
    }
    // Behind the end there is nothing, which is none of these either.
    if ((((next[kinds] ?? 0) >>> OTHER) & 1) === 1) this.#check(text, text.length - 3, kinds, found);
    return found;
  }

  #check(text: string, at: number, kinds: number, { could, places }: FoundAnchors): boolean {
    let isFound = false;
    for (const { rule, takesAll, anchor, behind } of this.#checks.get(kinds) ?? []) {
      if ((could[rule] === 1 && !takesAll) || at < behind || !anchor.at(text, at - behind)) continue;
      could[rule] = 1;
      isFound = true;
      if (!takesAll) continue;
      const known = places.get(rule);
      if (known === undefined) places.set(rule, [at - behind]);
      else if (known.at(-1) !== at - behind) known.push(at - behind);
    }
    return isFound;
  }
}
