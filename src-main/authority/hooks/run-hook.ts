import { setTimeout } from 'node:timers/promises';
import type { HeldProgram, HeldProgramEnd } from '../../domain/ports/sources/held-program.js';

/** The most that is read from either output of a hook; more of either is a failure. */
export const MAX_OUTPUT_BYTES = 64 * 1024;
const MAX_SHOWN_ERROR = 2000;

export interface HookEnd {
  /** The failure; null where it ended well. */
  readonly failed: string | null;
  readonly stdout: Uint8Array;
  /** The end of its standard error. */
  readonly said: string;
}

/** Runs a hook: one process, one answer. It never throws, and when it resolves nothing of the process is left. */
export async function runHook(
  start: () => Promise<HeldProgram>,
  line: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<HookEnd> {
  if (signal.aborted) return failBeforeStart(STOPPED);
  let program: HeldProgram;
  try {
    program = await start();
  } catch (error) {
    return failBeforeStart(describeStartFailure(error));
  }
  let endedFor: string | null = null;
  const end = (why: string): void => {
    endedFor ??= why;
    void program.end(0);
  };
  const takenBack = (): void => end(STOPPED);
  signal.addEventListener('abort', takenBack, { once: true });
  if (signal.aborted) takenBack();
  const over = new AbortController();
  const late = `it took longer than ${timeoutMs / 1000} s`;
  void setTimeout(timeoutMs, undefined, { signal: over.signal }).then(
    () => end(late),
    () => undefined,
  );
  try {
    // A hook need not read its input.
    void program.write(line).then(
      () => program.endInput(),
      () => undefined,
    );
    const tooMuch = (): void => end(`it wrote more than ${MAX_OUTPUT_BYTES / 1024} KB`);
    const [stdout, stderr, , ended] = await Promise.all([
      readBounded(program.stdout, tooMuch),
      readBounded(program.stderr, tooMuch),
      readBounded(program.side, tooMuch),
      program.ended,
    ]);
    const said = new TextDecoder().decode(stderr).trim().slice(-MAX_SHOWN_ERROR);
    return { failed: endedFor ?? findWrongEnd(ended, said), stdout, said };
  } finally {
    over.abort();
    signal.removeEventListener('abort', takenBack);
    await program.end(0);
  }
}

const STOPPED = 'it was stopped before it was done';

export const describeStartFailure = (error: unknown): string =>
  `it could not be started (${error instanceof Error ? error.message : String(error)})`;

const failBeforeStart = (failed: string): HookEnd => ({ failed, stdout: new Uint8Array(), said: '' });

/** Reads a stream to its end. Bytes over the bound are read and dropped. */
async function readBounded(stream: AsyncIterable<Uint8Array>, tooMuch: () => void): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length <= MAX_OUTPUT_BYTES) parts.push(part);
    else tooMuch();
  }
  return Buffer.concat(parts);
}

function findWrongEnd({ code, signal, limit, unstartable }: HeldProgramEnd, said: string): string | null {
  if (unstartable !== null) return `it could not be started (${unstartable})`;
  if (limit !== null) return `it was ended at a limit of your settings (${limit})`;
  if (signal !== null) return `it was ended by ${signal}`;
  if (code === 0) return null;
  return said === '' ? `it ended with exit code ${code}` : `it ended with exit code ${code} and said: ${said}`;
}
