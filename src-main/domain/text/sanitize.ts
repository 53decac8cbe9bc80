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

/** The same for text that comes in pieces, cut anywhere. */
export interface Sanitizer {
  push(text: string): string;
  /** What was held back: call it once, after the last piece. */
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

/** For raw bytes: UTF-8 across the borders of chunks. A C1 control as a lone byte is no UTF-8 and becomes U+FFFD. */
export function createByteSanitizer(): {
  push(bytes: Uint8Array): string;
  end(): string;
  readonly removed: number;
} {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const sanitizer = createSanitizer();
  return {
    push: (bytes) => sanitizer.push(decoder.decode(bytes, { stream: true })),
    end: () => sanitizer.push(decoder.decode()) + sanitizer.end(),
    get removed() {
      return sanitizer.removed;
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

type State = 'ground' | 'return' | 'escape' | 'csi' | 'string';

export function createSanitizer(): Sanitizer {
  let state: State = 'ground';
  /** Carriage returns seen in a row (in state `return`). */
  let returns = 0;
  /** The open sequence, without the controls that began it; `sequenceLength` counts all of it. */
  let held: string[] = [];
  let heldLength = 0;
  let introducer = 0;
  let removed = 0;

  const begin = (next: State, length: number): void => {
    state = next;
    introducer = length;
    held = [];
    heldLength = 0;
  };
  const hold = (text: string): void => {
    held.push(text);
    heldLength += text.length;
  };
  /** The sequence is complete (or was broken off): all of it goes. */
  const drop = (last: number): void => {
    removed += introducer + heldLength + last;
    state = 'ground';
    held = [];
    heldLength = 0;
    introducer = 0;
  };
  /** It was no sequence after all: its text is given back without its controls. */
  const giveBack = (): string => {
    const text = held.join('');
    const plain = text.replace(ALL_CONTROLS, '');
    removed += introducer + text.length - plain.length;
    state = 'ground';
    held = [];
    heldLength = 0;
    introducer = 0;
    return plain;
  };

  function push(text: string): string {
    if (state === 'ground' && !EFFECTIVE.test(text)) return text;
    let out = '';
    let at = 0;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      switch (state) {
        case 'ground': {
          NEXT_EFFECTIVE.lastIndex = at;
          const next = NEXT_EFFECTIVE.exec(text)?.index ?? text.length;
          out += text.slice(at, next);
          at = next;
          if (at === text.length) break;
          enter(text.charCodeAt(at));
          at += 1;
          break;
        }
        case 'return':
          if (code === CR) {
            returns += 1;
            at += 1;
          } else {
            out += endReturns(code === LF);
            if (code === LF) at += 1;
          }
          break;
        case 'escape':
          at += inEscape(code);
          break;
        case 'csi':
          at += inCsi(code);
          break;
        case 'string': {
          const stop = endOfString(text, at);
          const room = MAX_SEQUENCE - heldLength;
          if (stop - at > room) {
            hold(text.slice(at, at + room));
            at += room;
            out += giveBack();
            break;
          }
          if (stop > at) hold(text.slice(at, stop));
          at = stop;
          if (at < text.length) at += leaveString(text.charCodeAt(at));
          break;
        }
      }
      if (heldLength >= MAX_SEQUENCE) out += giveBack();
    }
    return out;
  }

  /** A control character on the ground. */
  function enter(code: number): void {
    if (code === CR) {
      state = 'return';
      returns = 1;
    } else if (code === ESC) begin('escape', 1);
    else if (code === 0x9b) begin('csi', 1);
    else if (opensString(code)) begin('string', 1);
    else removed += 1;
  }

  function endReturns(newlineFollows: boolean): string {
    state = 'ground';
    removed += newlineFollows ? returns - 1 : returns;
    returns = 0;
    return newlineFollows ? '\r\n' : '\n';
  }

  /** Each of these gives how many characters it used: 0 looks at the same one again in the new state. */
  function inEscape(code: number): 0 | 1 {
    if (heldLength === 0 && code === 0x5b) return again('csi');
    if (heldLength === 0 && (code === 0x5d || code === 0x50 || code === 0x58 || code === 0x5e || code === 0x5f)) {
      return again('string');
    }
    if (code >= 0x20 && code <= 0x2f) {
      hold(String.fromCharCode(code));
      return 1;
    }
    if (code >= 0x30 && code <= 0x7e) {
      drop(1);
      return 1;
    }
    return breakOff(code);
  }

  function inCsi(code: number): 0 | 1 {
    if (code >= 0x20 && code <= 0x3f) {
      hold(String.fromCharCode(code));
      return 1;
    }
    if (code >= 0x40 && code <= 0x7e) {
      drop(1);
      return 1;
    }
    return breakOff(code);
  }

  function again(next: State): 1 {
    begin(next, 2);
    return 1;
  }

  /** Something that does not belong into a sequence. */
  function breakOff(code: number): 0 | 1 {
    if (code === CAN || code === SUB) {
      drop(1);
      return 1;
    }
    const endsSequence = code === ESC || code === TAB || code === LF || code === CR || code >= 0x80;
    if (endsSequence) {
      drop(0);
      return 0;
    }
    // Terminals ignore the other controls inside a sequence, and go on with it.
    if (code < 0x20 || code === DEL) removed += 1;
    return 1;
  }

  function leaveString(code: number): 0 | 1 {
    const used = code === ESC || (code >= 0x80 && code !== ST) ? 0 : 1;
    drop(used);
    if (code === ESC) {
      // ESC ends the string; the backslash of a string terminator is then an escape sequence of its own.
      begin('escape', 1);
      return 1;
    }
    return used;
  }

  function end(): string {
    if (state === 'return') return endReturns(false);
    if (state === 'escape' || state === 'csi') {
      drop(0);
      return '';
    }
    return giveBack();
  }

  return {
    push,
    end,
    get removed() {
      return removed;
    },
  };
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
