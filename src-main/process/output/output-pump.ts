import type { StoredOutput } from '../../domain/call/outputs.js';
import { DrawingMarks } from '../../domain/text/drawing-marks.js';
import type { RedactingStream, ReleasedText } from '../../domain/text/redacting-stream.js';
import { createByteSanitizer } from '../../domain/text/sanitize.js';
import { DrawnEnds } from './drawn-ends.js';
import { Throttle } from '../../platform/timing/throttle.js';
import { KeptOutput, type KeptOutputOptions } from './kept-output.js';
import { BATCH_BYTES, type OutputChunk, OutputQueue } from './output-queue.js';
import { StoredBytes } from './stored-bytes.js';

/** Bytes that wait to be stored, and text that waits to be shown: past these the command is held up. */
export const MAX_QUEUED_BYTES = 2 * 1024 * 1024;
/** The time in which pieces are gathered and taken together: a terminal passes on 4 KiB at a time. */
export const GATHER_MS = 4;
/**
 * The time after which held text is shown if nothing comes; it was held since it might be the beginning of a secret.
 */
const IDLE_MS = 120;

/** One stream of a command: without its secrets to disk, to who watches, and its ends to the model. */
export interface OutputPump {
  push(bytes: Buffer): void;
  /** Resolves after the last push, when everything is stored and handed to the view. */
  finish(): Promise<StoredOutput | null>;
  readonly bytes: number;
  readonly controlsRemoved: number;
  /** The number of redactions. */
  readonly redactions: number;
  readonly ends: DrawnEnds;
  /** The same ends with the redacted text. */
  readonly wholeEnds: DrawnEnds;
  /** The last text of the stream, for telling what a command complained about. */
  readonly lastText: string;
}

export interface PumpOptions extends KeptOutputOptions {
  readonly redaction: RedactingStream;
  readonly finds: (bytes: Uint8Array) => Promise<boolean>;
  readonly modelLimit: number;
  /** The number of the turn in which this stream speaks now. */
  readonly turn: () => number;
  readonly show: (text: string) => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
}

const LAST_TEXT = 512;

export function createOutputPump(options: PumpOptions): OutputPump {
  const { redaction } = options;
  const marks = new DrawingMarks();
  const sanitizer = createByteSanitizer(marks.add);
  const ends = new DrawnEnds(options.modelLimit);
  /** The ends with redacted text, from the first redaction on: until then the two are the same. */
  let wholeEnds: DrawnEnds | null = null;
  const queue = new OutputQueue();
  const stored = new StoredBytes(options.finds);
  const onDisk = new KeptOutput(options);
  let total = 0;
  let redactions = 0;
  let paused = false;
  let lastText = '';
  let lastTurn = 0;
  let idle: NodeJS.Timeout | undefined;

  const show = async (text: string): Promise<void> => {
    if (text !== '') await options.show(text);
  };
  /** Side by side: a slow disk must not keep the person from seeing what is said. */
  const give = async (released: ReleasedText): Promise<void> => {
    redactions += released.count;
    lastText = (lastText + released.text.slice(-LAST_TEXT)).slice(-LAST_TEXT);
    const drawable = marks.take(released);
    if (!released.clean) wholeEnds ??= ends.copy();
    ends.push(drawable.shownPlain);
    wholeEnds?.push(drawable.wholePlain);
    await Promise.all([onDisk.keep(stored.release(released, drawable)), show(drawable.shown)]);
  };
  const take = async (said: readonly OutputChunk[]): Promise<void> => {
    let all = '';
    for (const { bytes, turn } of said) {
      const text = sanitizer.push(bytes);
      await stored.add(bytes, text.length, turn);
      all += text;
    }
    await give(await redaction.push(all));
  };
  const takeBatch = async (): Promise<void> => {
    const batch = queue.take();
    await take(batch);
    if (paused && queue.bytes <= MAX_QUEUED_BYTES / 2) {
      paused = false;
      options.resume();
    }
  };
  /** Takes what has come since the last time together: the faster it comes, the larger the pieces. */
  const rounds = new Throttle(GATHER_MS, async () => {
    clearTimeout(idle);
    if (queue.bytes > 0) await takeBatch();
    else await give(await redaction.idle());
    if (queue.bytes >= BATCH_BYTES) rounds.hurry();
    if (queue.bytes > 0) rounds.ask();
    else if (redaction.holds) idle = setTimeout(() => rounds.ask(), IDLE_MS).unref();
  });

  return {
    push(bytes) {
      total += bytes.length;
      lastTurn = options.turn();
      queue.push(bytes, lastTurn);
      if (!paused && queue.bytes > MAX_QUEUED_BYTES) {
        paused = true;
        options.pause();
      }
      if (queue.bytes >= BATCH_BYTES) rounds.hurry();
      rounds.ask();
    },
    async finish() {
      rounds.hurry(true);
      await rounds.done();
      clearTimeout(idle);
      const last = sanitizer.end();
      await stored.add(Buffer.alloc(0), last.length, lastTurn);
      await give(await redaction.push(last));
      await give(await redaction.end());
      ends.finish();
      wholeEnds?.finish();
      return onDisk.finish();
    },
    get bytes() {
      return total;
    },
    get controlsRemoved() {
      return sanitizer.removed;
    },
    get redactions() {
      return redactions;
    },
    get lastText() {
      return lastText;
    },
    ends,
    get wholeEnds() {
      return wholeEnds ?? ends;
    },
  };
}
