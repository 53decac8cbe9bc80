import type { Database } from 'better-sqlite3';
import type { MessageBlock } from '#contract/vocabulary/conversation/conversation.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Redactor } from '../../domain/ports/redactor.js';

/** FR-RES-04a: what came is durable this much later at most. */
const DURABLE_WITHIN_MS = 50;
/** Characters of a piece: at most 64 KiB however they are written, and short enough to be looked through at once. */
const PIECE_LENGTH = 16_384;
/** Where a piece is cut: at a line's end or a blank among its last characters, so that no secret is cut in two. */
const CUT_WITHIN = 4_096;
/** Characters that are looked through before others have their turn. */
const AT_ONCE = 65_536;

export interface StreamedBlock {
  readonly block: number;
  readonly kind: 'text' | 'reasoning' | 'call';
  /** For a call: the model's own id, and the name it gave. */
  readonly requestId: string | null;
  readonly tool: string | null;
  readonly text: string;
}

interface StreamedBlockState extends Omit<StreamedBlock, 'text'> {
  readonly message: number;
  /** Finished pieces, which don't change any more. */
  readonly pieces: string[];
  last: string;
  /** Pieces before this one are on the disk as they are. */
  unsaved: number;
}

interface PieceRow extends Omit<StreamedBlock, 'text'> {
  readonly message: number;
  readonly piece: number;
  readonly text: string;
}

type Durably = (write: () => void) => void;

/** Saves what models are writing as it comes, without what looks like a secret. It is deleted when the answer ends. */
export class StreamedPieces {
  readonly #answers = new Map<number, Map<number, StreamedBlockState>>();
  readonly #changed = new Set<StreamedBlockState>();
  readonly #save: (rows: readonly PieceRow[]) => void;
  readonly #parts: { readonly clock: Clock; readonly redactor: Redactor; readonly durably: Durably };
  #savedAt = -Infinity;
  #timer: NodeJS.Timeout | null = null;

  constructor(db: Database, parts: { readonly clock: Clock; readonly redactor: Redactor; readonly durably: Durably }) {
    this.#parts = parts;
    const upsert = db.prepare<[PieceRow]>(
      `INSERT INTO streamed (message, block, piece, kind, requestId, tool, text)
       VALUES (@message, @block, @piece, @kind, @requestId, @tool, @text)
       ON CONFLICT (message, block, piece) DO UPDATE SET text = excluded.text`,
    );
    const save = db.transaction((rows: readonly PieceRow[]) => {
      for (const row of rows) upsert.run(row);
    });
    this.#save = (rows) => save.immediate(rows);
  }

  begin(message: number): void {
    this.#answers.set(message, new Map());
  }

  /** Adds text to an answer that began and is not over. `text` may be empty: that the block began is worth a note. */
  add(message: number, of: Omit<StreamedBlock, 'text'>, text: string): void {
    const blocks = this.#answers.get(message);
    if (blocks === undefined) return;
    const block = blocks.get(of.block) ?? this.#begun(message, of);
    blocks.set(of.block, block);
    block.last += text;
    while (block.last.length > PIECE_LENGTH) {
      const end = findCut(block.last);
      block.pieces.push(block.last.slice(0, end));
      block.last = block.last.slice(end);
    }
    this.#changed.add(block);
    this.#saveSoon();
  }

  #begun(message: number, of: Omit<StreamedBlock, 'text'>): StreamedBlockState {
    const requestId = of.requestId === null ? null : this.#without(of.requestId);
    const tool = of.tool === null ? null : this.#without(of.tool);
    return { ...of, message, requestId, tool, pieces: [], last: '', unsaved: 0 };
  }

  /** The blocks of an answer that came by now. */
  of(message: number): readonly StreamedBlock[] {
    return [...(this.#answers.get(message)?.values() ?? [])]
      .map(({ block, kind, requestId, tool, pieces, last }) => ({
        block,
        kind,
        requestId,
        tool,
        text: pieces.join('') + last,
      }))
      .sort((one, other) => one.block - other.block);
  }

  /** Drops an answer: nothing more of it is to be saved. */
  forget(message: number): void {
    for (const block of this.#answers.get(message)?.values() ?? []) this.#changed.delete(block);
    this.#answers.delete(message);
  }

  /** Writes what waits now. Throws JournalUnavailableError. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#changed.size > 0) this.#saveSome();
    this.#savedAt = this.#parts.clock.monotonic();
  }

  /** Saves as much of what waits as is redacted at once. */
  #saveSome(): void {
    const rows: PieceRow[] = [];
    const reached: { readonly block: StreamedBlockState; readonly piece: number }[] = [];
    let length = 0;
    for (const block of this.#changed) {
      let piece = block.unsaved;
      for (; piece <= block.pieces.length && length < AT_ONCE; piece += 1) {
        const text = block.pieces[piece] ?? block.last;
        length += text.length;
        rows.push(this.#rowOf(block, piece, text));
      }
      reached.push({ block, piece });
      if (length >= AT_ONCE) break;
    }
    this.#parts.durably(() => this.#save(rows));
    for (const { block, piece } of reached) {
      block.unsaved = Math.min(piece, block.pieces.length);
      if (piece > block.pieces.length) this.#changed.delete(block);
    }
  }

  #rowOf({ message, block, kind, requestId, tool }: StreamedBlockState, piece: number, text: string): PieceRow {
    return { message, block, piece, kind, requestId, tool, text: this.#without(text) };
  }

  #without(text: string): string {
    return this.#parts.redactor.text(text).value;
  }

  #saveSoon(): void {
    const wait = this.#savedAt + DURABLE_WITHIN_MS - this.#parts.clock.monotonic();
    this.#timer ??= setTimeout(() => this.#saveByItself(), Math.max(0, wait)).unref();
  }

  #saveByItself(): void {
    this.#timer = null;
    try {
      this.#saveSome();
    } catch {
      // The journal's health says so; the answer can't be ended either, and nothing runs.
      return;
    }
    if (this.#changed.size === 0) this.#savedAt = this.#parts.clock.monotonic();
    // Others have their turn before the rest.
    else this.#timer = setTimeout(() => this.#saveByItself(), 1).unref();
  }
}

function findCut(text: string): number {
  const part = text.slice(0, PIECE_LENGTH);
  const found = Math.max(part.lastIndexOf('\n'), part.lastIndexOf(' '));
  if (found >= PIECE_LENGTH - CUT_WITHIN) return found + 1;
  // A piece never ends within a character.
  return /[\uD800-\uDBFF]$/u.test(part) ? PIECE_LENGTH - 1 : PIECE_LENGTH;
}

/** Reads what is on the disk of an answer in progress, or of one that a crash left. */
export function readStreamedBlocks(db: Database, message: number): readonly StreamedBlock[] {
  const rows = db
    .prepare<[number], PieceRow>('SELECT * FROM streamed WHERE message = ? ORDER BY block, piece')
    .all(message);
  const blocks = new Map<number, StreamedBlock>();
  for (const { block, kind, requestId, tool, text } of rows) {
    const before = blocks.get(block);
    blocks.set(
      block,
      before === undefined ? { block, kind, requestId, tool, text } : { ...before, text: before.text + text },
    );
  }
  return [...blocks.values()];
}

/** The window's view of an answer in progress. */
export const toStreamedView = (blocks: readonly StreamedBlock[]): readonly MessageBlock[] =>
  blocks.map(({ kind, text, tool }) =>
    kind === 'call' ? { kind, callId: null, tool: tool ?? '', folded: false } : { kind, text },
  );
