import type { Json } from '#contract/vocabulary/json.js';
import { mapTexts } from '#contract/vocabulary/text/json-walk.js';
/**
 * Takes every control effect out of text that came from a program or a file, before a person or a model sees it.
 *
 * Kept: all printable text, newline, tab, and carriage return where it is part of CRLF (so that a file's newline kind
 * survives). A run of returns before a newline becomes one. A lone return would let text overwrite text: it becomes a
 * newline, so that both stay readable.
 * Removed: the rest of C0, DEL, C1, and ESC, CSI, OSC, DCS, SOS, PM and APC sequences whole.
 * A sequence that does not end within MAX_SEQUENCE characters is not believed: only its controls go and its text is
 * given back. So memory is bounded, and an unfinished sequence can't hide what comes after it.
 */
export interface Sanitized {
  readonly text: string;
  /** Characters that were in the input and are not in the text. */
  readonly removed: number;
}

/**
 * Where in the text something stood that a row is drawn by (`vocabulary/screen`): a return, for which the text has a
 * newline, or what erases or colours, before the character at `at`.
 */
export interface DrawingMark {
  readonly at: number;
  readonly code: string;
  readonly isNewline: boolean;
}

/** The same for text that comes in pieces, cut anywhere. */
export interface Sanitizer {
  push(text: string): string;
  /** Gives out what was held back: call it once, after the last piece. */
  end(): string;
  readonly removed: number;
}

export const MAX_SEQUENCE = 65_536;

export function sanitize(text: string): Sanitized {
  if (!EFFECTIVE.test(text)) return { text, removed: 0 };
  const sanitizer = createSanitizer();
  const kept = sanitizer.push(text) + sanitizer.end();
  return { text: kept, removed: sanitizer.removed };
}

/**
 * Sanitizes raw bytes: UTF-8 across the borders of chunks. A C1 control as a lone byte is no UTF-8 and becomes U+FFFD.
 * `onMark` hears of what rows are drawn by, with its place in all of the text.
 */
export function createByteSanitizer(onMark?: (mark: DrawingMark) => void): {
  push(bytes: Uint8Array): string;
  end(): string;
  /** A return that was held back, since it might have been half of a line break. */
  heldReturn(): string;
  readonly removed: number;
  /**
   * Whether it holds nothing back, as far as it goes by its text: after a character of ASCII another could go on from
   * here.
   */
  readonly isAtRest: boolean;
} {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const sanitizer = new TextSanitizer(onMark);
  return {
    push: (bytes) => sanitizer.push(decoder.decode(bytes, { stream: true })),
    end: () => sanitizer.push(decoder.decode()) + sanitizer.end(),
    heldReturn: () => sanitizer.heldReturn(),
    get removed() {
      return sanitizer.removed;
    },
    get isAtRest() {
      return sanitizer.isAtRest;
    },
  };
}

/** Every control character but newline and tab. */
const EFFECTIVE = /[^\P{Cc}\n\t]/u;
const NEXT_EFFECTIVE = new RegExp(EFFECTIVE, 'gu');
const ALL_CONTROLS = /[^\P{Cc}\n\t]/gu;

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const DEL = 0x7f;
const ST = 0x9c;
const LETTER_G = 0x47;
const LETTER_K = 0x4b;
const LETTER_M = 0x6d;
const DRAWS_BY = /^[0-9;:]{0,64}$/u;

type SequenceState = 'ground' | 'return' | 'escape' | 'csi' | 'string';

export const createSanitizer = (): Sanitizer => new TextSanitizer();

class TextSanitizer implements Sanitizer {
  readonly #onMark: ((mark: DrawingMark) => void) | undefined;
  /** How much text was given before, and where in it the next would stand. */
  #given = 0;
  #place = 0;
  #state: SequenceState = 'ground';
  /** Carriage returns seen in a row (in state `return`). */
  #returns = 0;
  /** The open sequence, without the controls that began it; `sequenceLength` counts all of it. */
  #held: string[] = [];
  #heldLength = 0;
  #introducer = 0;
  #removed = 0;

  constructor(onMark?: (mark: DrawingMark) => void) {
    this.#onMark = onMark;
  }

  #begin(next: SequenceState, length: number): void {
    this.#state = next;
    this.#introducer = length;
    this.#held = [];
    this.#heldLength = 0;
  }

  #hold(text: string): void {
    this.#held.push(text);
    this.#heldLength += text.length;
  }

  /** The sequence is complete (or was broken off): all of it goes. */
  #drop(last: number): void {
    this.#removed += this.#introducer + this.#heldLength + last;
    this.#state = 'ground';
    this.#held = [];
    this.#heldLength = 0;
    this.#introducer = 0;
  }

  /** Gives back the held text without its controls: it was no sequence after all. */
  #giveBack(): string {
    const text = this.#held.join('');
    const plain = text.replace(ALL_CONTROLS, '');
    this.#removed += this.#introducer + text.length - plain.length;
    this.#state = 'ground';
    this.#held = [];
    this.#heldLength = 0;
    this.#introducer = 0;
    return plain;
  }

  push(text: string): string {
    if (this.#state === 'ground' && !EFFECTIVE.test(text)) {
      this.#given += text.length;
      return text;
    }
    let out = '';
    let at = 0;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      this.#place = this.#given + out.length;
      switch (this.#state) {
        case 'ground': {
          NEXT_EFFECTIVE.lastIndex = at;
          const next = NEXT_EFFECTIVE.exec(text)?.index ?? text.length;
          out += text.slice(at, next);
          at = next;
          if (at === text.length) break;
          this.#enter(text.charCodeAt(at));
          at += 1;
          break;
        }
        case 'return':
          if (code === CR) {
            this.#returns += 1;
            at += 1;
          } else {
            out += this.#endReturns(code === LF);
            if (code === LF) at += 1;
          }
          break;
        case 'escape':
          at += this.#inEscape(code);
          break;
        case 'csi':
          at += this.#inCsi(code);
          break;
        case 'string': {
          const stop = endOfString(text, at);
          const room = MAX_SEQUENCE - this.#heldLength;
          if (stop - at > room) {
            this.#hold(text.slice(at, at + room));
            at += room;
            out += this.#giveBack();
            break;
          }
          if (stop > at) this.#hold(text.slice(at, stop));
          at = stop;
          if (at < text.length) at += this.#leaveString(text.charCodeAt(at));
          break;
        }
      }
      if (this.#heldLength >= MAX_SEQUENCE) out += this.#giveBack();
    }
    this.#given += out.length;
    this.#place = this.#given;
    return out;
  }

  /** A control character on the ground. */
  #enter(code: number): void {
    if (code === CR) {
      this.#state = 'return';
      this.#returns = 1;
    } else if (code === ESC) this.#begin('escape', 1);
    else if (code === 0x9b) this.#begin('csi', 1);
    else if (opensString(code)) this.#begin('string', 1);
    else this.#removed += 1;
  }

  #endReturns(newlineFollows: boolean): string {
    this.#state = 'ground';
    this.#removed += newlineFollows ? this.#returns - 1 : this.#returns;
    this.#returns = 0;
    if (!newlineFollows) this.#onMark?.({ at: this.#place, code: '\r', isNewline: true });
    return newlineFollows ? '\r\n' : '\n';
  }

  /**
   * Consumes one character of a sequence. Each of these methods returns how many characters it used: 0 looks at the
   * same one again in the new state.
   */
  #inEscape(code: number): 0 | 1 {
    if (this.#heldLength === 0 && code === 0x5b) return this.#again('csi');
    if (this.#heldLength === 0 && (code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f)) {
      return this.#again('string');
    }
    if (code >= 0x20 && code <= 0x2f) {
      this.#hold(String.fromCharCode(code));
      return 1;
    }
    if (code >= 0x30 && code <= 0x7e) {
      this.#drop(1);
      return 1;
    }
    return this.#breakOff(code);
  }

  #inCsi(code: number): 0 | 1 {
    if (code >= 0x20 && code <= 0x3f) {
      this.#hold(String.fromCharCode(code));
      return 1;
    }
    if (code >= 0x40 && code <= 0x7e) {
      this.#tell(this.#held.join(''), code);
      this.#drop(1);
      return 1;
    }
    return this.#breakOff(code);
  }

  /** Reports the codes that rows are drawn by, among those that are dropped. */
  #tell(parameters: string, last: number): void {
    if (this.#onMark === undefined || (last !== LETTER_M && last !== LETTER_K && last !== LETTER_G)) return;
    if (!DRAWS_BY.test(parameters)) return;
    const at = this.#place;
    if (last === LETTER_M) this.#onMark({ at, code: `\u{1b}[${parameters}m`, isNewline: false });
    else if (last === LETTER_K) this.#onMark({ at, code: `\u{1b}[${parameters}K`, isNewline: false });
    // A move to the first column is a return by another name.
    else if (Number(parameters) <= 1) this.#onMark({ at, code: '\r', isNewline: false });
  }

  #again(next: SequenceState): 1 {
    this.#begin(next, 2);
    return 1;
  }

  /** Something that does not belong into a sequence. */
  #breakOff(code: number): 0 | 1 {
    if (code === CAN || code === SUB) {
      this.#drop(1);
      return 1;
    }
    const endsSequence = code === ESC || code === TAB || code === LF || code === CR || code >= 0x80;
    if (endsSequence) {
      this.#drop(0);
      return 0;
    }
    // Terminals ignore the other controls inside a sequence, and go on with it.
    if (code < 0x20 || code === DEL) this.#removed += 1;
    return 1;
  }

  #leaveString(code: number): 0 | 1 {
    const used = code === ESC || (code >= 0x80 && code !== ST) ? 0 : 1;
    this.#drop(used);
    if (code === ESC) {
      // ESC ends the string; the backslash of a string terminator is then an escape sequence of its own.
      this.#begin('escape', 1);
      return 1;
    }
    return used;
  }

  heldReturn(): string {
    if (this.#state !== 'return') return '';
    this.#place = this.#given;
    this.#given += 1;
    return this.#endReturns(false);
  }

  end(): string {
    if (this.#state === 'return') return this.heldReturn();
    if (this.#state === 'escape' || this.#state === 'csi') {
      this.#drop(0);
      return '';
    }
    return this.#giveBack();
  }

  get isAtRest(): boolean {
    return this.#state === 'ground';
  }

  get removed(): number {
    return this.#removed;
  }
}

/** DCS, SOS, OSC, PM and APC in their one-character forms. */
const opensString = (code: number): boolean =>
  code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f;

/** Where a string sequence is over: BEL, CAN, SUB, ESC, or any C1 control. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BEL || code === CAN || code === SUB || code === ESC || (code >= 0x80 && code <= 0x9f)) return at;
  }
  return text.length;
}

/** Takes them out of another's value, names and texts both. */
export const sanitizeJson = (value: Json): Json =>
  mapTexts(
    value,
    (text) => sanitize(text).text,
    (name) => sanitize(name).text,
  );
