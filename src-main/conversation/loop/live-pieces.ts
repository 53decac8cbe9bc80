import type { MessagePiece } from '#contract/window/conversation/conversation.js';

/** Sixty times a second is as often as anybody can see. */
const INTERVAL_MS = 16;

export type LivePiece = Pick<MessagePiece, 'block' | 'kind' | 'at' | 'text'>;

/** Gathers the pieces of an answer that is being written, and shows them at most sixty times a second. */
export class LivePieces {
  readonly #show: (pieces: readonly LivePiece[]) => void;
  /** The blocks by their number in the answer, with their place among the shown ones: a block without text has none. */
  readonly #blocks = new Map<number, { readonly place: number; length: number }>();
  #pieces: LivePiece[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(show: (pieces: readonly LivePiece[]) => void) {
    this.#show = show;
  }

  text(block: number, kind: 'text' | 'reasoning', text: string): void {
    const shown = this.#blocks.get(block) ?? { place: this.#blocks.size, length: 0 };
    this.#blocks.set(block, shown);
    const last = this.#pieces.at(-1);
    if (last?.block === shown.place) this.#pieces[this.#pieces.length - 1] = { ...last, text: last.text + text };
    else this.#pieces.push({ block: shown.place, kind, at: shown.length, text });
    shown.length += text.length;
    this.#soon();
  }

  callBegan(block: number, tool: string): void {
    const place = this.#blocks.size;
    this.#blocks.set(block, { place, length: 0 });
    this.#pieces.push({ block: place, kind: 'call', at: 0, text: tool });
    this.#soon();
  }

  /** Drops pieces that were not shown yet: they are shown with the whole answer. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#pieces = [];
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const pieces = this.#pieces;
      this.#pieces = [];
      this.#show(pieces);
    }, INTERVAL_MS);
  }
}
