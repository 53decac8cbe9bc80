import type { OutputSink } from '../../domain/ports/output-store.js';
import type { StoredOutput } from '../../domain/call/outputs.js';
import { createHeadTail, type HeadTail } from '../../domain/text/head-tail.js';
import type { RedactingStream, Released } from '../../domain/text/redacting-stream.js';
import { createByteSanitizer } from '../../domain/text/sanitize.js';
import { StoredBytes } from './stored-bytes.js';

/** Bytes that wait to be stored, and text that waits to be shown: past these the command is held up. */
export const MAX_QUEUED_BYTES = 2 * 1024 * 1024;
/** Worked on at once, so that other work on this thread never waits long. */
export const BATCH_BYTES = 256 * 1024;
/** What comes so soon after a piece was worked on is taken together: a terminal passes on 4 KiB at a time. */
export const GATHER_MS = 4;
/** What is held back, since it might be the beginning of a secret, is shown after this long if nothing comes. */
const IDLE_MS = 120;

/** One stream of a command: without its secrets to disk, to who watches, and its ends to the model. */
export interface OutputPump {
  push(bytes: Buffer): void;
  /** After the last push: when everything is stored and handed to the view. */
  finish(): Promise<StoredOutput | null>;
  readonly bytes: number;
  readonly controlsRemoved: number;
  /** How many places were blotted out. */
  readonly redactions: number;
  readonly ends: HeadTail;
  /** The last text of the stream, for telling what a command complained about. */
  readonly lastText: string;
}

export interface PumpOptions {
  /** Called for the first byte: a stream that says nothing leaves no file. */
  readonly openSink: () => OutputSink;
  readonly redaction: RedactingStream;
  readonly finds: (bytes: Uint8Array) => Promise<boolean>;
  readonly modelLimit: number;
  readonly show: (text: string) => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly onQuota: () => void;
  readonly onStorageFailure: (problem: unknown) => void;
}

const LAST_TEXT = 512;

export function createOutputPump(options: PumpOptions): OutputPump {
  const { redaction } = options;
  const sanitizer = createByteSanitizer();
  const ends = createHeadTail(options.modelLimit);
  const queue: Buffer[] = [];
  const stored = new StoredBytes(options.finds);
  let queued = 0;
  let total = 0;
  let redactions = 0;
  let paused = false;
  let lastText = '';
  let working: Promise<void> | null = null;
  let idle: NodeJS.Timeout | undefined;
  let storing = true;
  let ending = false;
  let wake: (() => void) | null = null;
  let sink: OutputSink | null = null;

  const store = async (bytes: Buffer): Promise<void> => {
    if (!storing || bytes.length === 0) return;
    try {
      sink ??= options.openSink();
      if (await sink.write(bytes)) return;
      options.onQuota();
    } catch (problem) {
      storing = false;
      options.onStorageFailure(problem);
    }
  };
  /** What can't be kept whole is not kept at all; the command ran all the same. */
  const kept = async (from: OutputSink): Promise<StoredOutput | null> => {
    try {
      if (storing) return await from.finish();
    } catch (problem) {
      options.onStorageFailure(problem);
    }
    await from.abandon().catch(() => undefined);
    return null;
  };
  const show = async (text: string): Promise<void> => {
    if (text === '') return;
    ends.push(text);
    lastText = (lastText + text.slice(-LAST_TEXT)).slice(-LAST_TEXT);
    await options.show(text);
  };
  /** Side by side: a slow disk must not keep the person from seeing what is said. */
  const give = async (released: Released): Promise<void> => {
    redactions += released.count;
    await Promise.all([store(stored.gave(released)), show(released.text)]);
  };
  const take = async (bytes: Buffer): Promise<void> => {
    const text = sanitizer.push(bytes);
    await stored.took(bytes, text.length);
    await give(await redaction.push(text));
  };
  const nextBatch = (): Buffer => {
    let count = 0;
    for (let bytes = 0; count < queue.length && bytes < BATCH_BYTES; count += 1) bytes += queue[count]?.length ?? 0;
    const taken = queue.splice(0, count);
    return taken.length === 1 && taken[0] !== undefined ? taken[0] : Buffer.concat(taken);
  };
  const gathered = (): Promise<void> =>
    new Promise((resolve) => {
      if (ending || queued >= BATCH_BYTES) return resolve();
      const timer = setTimeout(resolve, GATHER_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  /** Takes what has come since the last round together: the faster it comes, the larger the pieces. */
  const work = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = nextBatch();
      await take(batch);
      queued -= batch.length;
      if (paused && queued <= MAX_QUEUED_BYTES / 2) {
        paused = false;
        options.resume();
      }
      await gathered();
    }
  };
  const start = (job: () => Promise<void>): void => {
    clearTimeout(idle);
    working ??= job().finally(() => {
      working = null;
      if (queue.length > 0) start(work);
      else if (redaction.holds)
        idle = setTimeout(() => start(async () => give(await redaction.idle())), IDLE_MS).unref();
    });
  };

  return {
    push(bytes) {
      total += bytes.length;
      queued += bytes.length;
      queue.push(bytes);
      if (!paused && queued > MAX_QUEUED_BYTES) {
        paused = true;
        options.pause();
      }
      if (queued >= BATCH_BYTES) wake?.();
      start(work);
    },
    async finish() {
      ending = true;
      wake?.();
      for (let job = working; job !== null; job = working) await job;
      clearTimeout(idle);
      const last = sanitizer.end();
      await stored.took(Buffer.alloc(0), last.length);
      await give(await redaction.push(last));
      await give(await redaction.end());
      return sink === null ? null : kept(sink);
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
  };
}
