import type { MarkedText } from '../../domain/text/drawing-marks.js';
import type { ReleasedText } from '../../domain/text/redacting-stream.js';

/**
 * The stored form of a command's output: the bytes as they came, where nothing was redacted from their text and no
 * secret is found in what a terminal would not show, and else that text with its drawing codes.
 */
export class StoredBytes {
  readonly #finds: (bytes: Uint8Array) => Promise<boolean>;
  readonly #pieces: PendingPiece[] = [];
  /** True within an escape sequence that holds text of its own, which nobody is shown and which is not redacted. */
  #hidden = false;
  /** The end of what was hidden so far: a secret may come in two pieces. */
  #hiddenBefore: Buffer = Buffer.alloc(0);

  constructor(finds: (bytes: Uint8Array) => Promise<boolean>) {
    this.#finds = finds;
  }

  /** Bytes, and the text they gave. */
  async add(raw: Buffer, textLength: number, turn: number): Promise<void> {
    const fit = !this.#hides(raw) || !(await this.#finds(this.#withBefore(raw)));
    this.#pieces.push({ raw, turn, fit, left: textLength, text: [] });
  }

  /** Returns the pieces that are complete once so much of the taken text was given out, in order. */
  release({ length: all, clean }: Pick<ReleasedText, 'length' | 'clean'>, released: Drawable): readonly KeptPiece[] {
    const pieces: KeptPiece[] = [];
    let length = all;
    let toldAll = false;
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const taken = Math.min(length, piece.left);
      piece.left -= taken;
      length -= taken;
      if (taken > 0 || piece.left === 0) {
        // What was blotted out may reach over several pieces: all of its text stands with the first.
        const at = all - length - taken;
        if (clean) piece.text.push(released.part(at, at + taken));
        else if (!toldAll) piece.text.push(released.shown);
        toldAll = true;
        piece.fit &&= clean || taken === 0;
      }
      if (piece.left > 0) break;
      this.#pieces.shift();
      const { raw, turn, fit } = piece;
      pieces.push({ raw, turn, kept: fit ? raw : Buffer.from(piece.text.join('')) });
    }
    return pieces;
  }

  #withBefore(raw: Buffer): Buffer {
    const both = Buffer.concat([this.#hiddenBefore, raw]);
    this.#hiddenBefore = this.#hidden ? both.subarray(-LOOKED_BACK) : Buffer.alloc(0);
    return both;
  }

  #hides(raw: Buffer): boolean {
    if (!this.#hidden && !raw.includes(0x1b) && !raw.includes(0xc2)) return false;
    const text = raw.toString('latin1');
    const wasHidden = this.#hidden;
    const opens = OPENS.exec(text) !== null;
    if (wasHidden || opens) {
      const last = Math.max(
        ...[...text.matchAll(new RegExp(OPENS, 'gu'))].map(({ index }) => index),
        wasHidden ? 0 : -1,
      );
      this.#hidden = !CLOSES.test(text.slice(last + (opens ? 1 : 0)));
    }
    if (text.endsWith('\u{1b}')) this.#hidden = true;
    return wasHidden || opens;
  }
}

/** The stored form of some bytes, in order; the same buffer where that is all of them. */
export interface KeptPiece {
  readonly raw: Buffer;
  readonly kept: Buffer;
  /** The number of the turn, among the streams. */
  readonly turn: number;
}

type Drawable = Pick<MarkedText, 'shown' | 'part'>;

interface PendingPiece {
  readonly raw: Buffer;
  readonly turn: number;
  fit: boolean;
  left: number;
  readonly text: string[];
}

const LOOKED_BACK = 4096;

/** OSC, DCS, SOS, PM, APC: with ESC, or as one character in UTF-8. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const OPENS = /\u{1b}[\]PX^_]|\u{c2}[\u{90}\u{98}\u{9d}\u{9e}\u{9f}]/u;
// oxlint-disable-next-line no-control-regex -- as above
const CLOSES = /\u{7}|\u{1b}\\|\u{9c}|[\u{18}\u{1a}]/u;
