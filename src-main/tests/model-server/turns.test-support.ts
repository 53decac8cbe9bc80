import type { JsonObject } from '#contract/vocabulary/json.js';

/** What the scripted model says to one request, in no protocol's words. */
export interface ScriptedTurn {
  readonly blocks?: readonly ScriptedBlock[];
  /** Null: its protocol's closing word never comes. Left out: as the blocks have it (its tools, or its end). */
  readonly ends?: ScriptedEnd | null;
  /** Characters in one piece of text or arguments; 16, unless told. */
  readonly piece?: number;
  /** The pieces of neighbouring calls take turns: a, b, a, b. */
  readonly interleaved?: boolean;
  readonly usage?: { readonly input: number; readonly output: number };
  readonly wire?: Wire;
}

export type ScriptedEnd = 'done' | 'length' | 'refused' | 'filtered';

export type ScriptedBlock =
  | { readonly text: string }
  /** The signature is Anthropic's; `redacted` stands for a block that it keeps sealed. */
  | { readonly reasoning: string; readonly signature?: string }
  | { readonly redacted: string }
  /** Arguments that are a string go as they are written, JSON or not. Without an id it gets one of its own. */
  | { readonly call: string; readonly id?: string; readonly arguments: JsonObject | string };

/** Refuses the request. A body that is text goes as it is. */
export interface ScriptedRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | string;
}

/** A stream as somebody recorded it. */
export interface ScriptedRaw {
  readonly raw: string | Uint8Array;
  readonly wire?: Wire;
}

/** Takes the request, and closes the connection without a word. */
export interface ScriptedHangUp {
  readonly hangUp: true;
}

/** Takes the request, and answers nothing until `release`. */
export interface ScriptedSilence {
  readonly silent: true;
}

export type Scripted = ScriptedTurn | ScriptedRefusal | ScriptedRaw | ScriptedHangUp | ScriptedSilence;

/** What happens to a stream on its way. */
export interface Wire {
  /** Each event is a text that ends with its blank line: leave out, repeat, reorder, add. */
  readonly events?: (events: readonly string[]) => readonly string[];
  /** Bytes in one write: 1 splits every character and escape. Left out: one event a write. */
  readonly chunkBytes?: number;
  /** Nothing after this many bytes: the stream ends cleanly, or the connection is reset. */
  readonly cutAfterBytes?: number;
  readonly cut?: 'end' | 'reset';
  /** Waits here until `release`, or until the client goes. */
  readonly stallAfterBytes?: number;
  /** As `stallAfterBytes`, counted in events. */
  readonly stallAfterEvents?: number;
  /** Between two writes. */
  readonly everyMs?: number;
}

export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

export type CallBlock = Extract<ScriptedBlock, { readonly call: string }>;

export const argumentsText = (block: CallBlock): string =>
  typeof block.arguments === 'string' ? block.arguments : JSON.stringify(block.arguments);

/** By code points: a piece never splits a character; `chunkBytes` does that. */
export function piecesOf(text: string, size: number): readonly string[] {
  const points = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(''));
  return pieces;
}

/** Runs of neighbours that begin together: the calls of an interleaved turn, else each block alone. */
export function runsOf(turn: ScriptedTurn): ReadonlyArray<ReadonlyArray<readonly [number, ScriptedBlock]>> {
  const runs: (readonly [number, ScriptedBlock])[][] = [];
  for (const [index, block] of (turn.blocks ?? []).entries()) {
    const last = runs.at(-1);
    const joins = turn.interleaved === true && 'call' in block && last?.every(([, other]) => 'call' in other) === true;
    if (joins) last?.push([index, block]);
    else runs.push([[index, block]]);
  }
  return runs;
}

/** a1 b1 c1 a2 b2 … */
export function takingTurns<T>(lists: ReadonlyArray<readonly T[]>): readonly T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
