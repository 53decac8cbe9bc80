import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJSONRPCMessage } from '@modelcontextprotocol/client';
import type { HeldProgram, HeldProgramEnd } from '../../../../domain/ports/sources/held-program.js';
import { inMib, KEPT_FREE_OF_SOURCES } from '../../../../domain/size-bounds.js';
import { LineCutter } from '../../../../platform/reading/line-cutter.js';
import { MAX_MESSAGE_BYTES, MessageTooLarge } from './message-too-large.js';
import { ErrorOutput } from '../../../../domain/text/error-output.js';

/** Why a connection can’t be trusted, or is gone. */
export interface BrokenConnection {
  readonly kind: 'too-large' | 'flood' | 'garbled' | 'ended';
  readonly words: string;
}

/** Messages that are no answers, in so many seconds. */
const MAX_UNASKED = 20_000;
const UNASKED_MS = 10_000;
const GRACE_MS = 2000;
/** The number of messages that are read before other work has its turn. */
const MESSAGES_AT_ONCE = 64;

/** MCP’s stdio over a program that is held. Nothing that the program does makes it take more than one message of memory. */
export class LineTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Called when messages were garbled: which one was meant can’t be told. */
  onGarbled: ((broken: BrokenConnection) => void) | null = null;
  readonly complaints = new ErrorOutput();
  broken: BrokenConnection | null = null;
  readonly #program: HeldProgram;
  #unasked = 0;
  #unaskedSince = performance.now();
  #reading: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(program: HeldProgram) {
    this.#program = program;
  }

  // Both are what the SDK knows a transport of this kind by: a server that is silent when asked for its era is an old one.
  get pid(): number {
    return this.#program.pid;
  }

  get stderr(): null {
    return null;
  }

  get confinement(): HeldProgram['confinement'] {
    return this.#program.confinement;
  }

  start(): Promise<void> {
    this.#reading = Promise.all([this.#readMessages(), this.#readComplaints()]);
    void this.#whenEnded();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#program.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    await this.#program.end(GRACE_MS);
    this.#closed();
  }

  async #readMessages(): Promise<void> {
    const lines = new LineCutter(MAX_MESSAGE_BYTES);
    let sinceTurn = 0;
    try {
      for await (const chunk of this.#program.stdout) {
        for (const line of lines.push(chunk)) {
          if (line === null) return this.#breakTooLarge();
          this.#takeLine(line.toString());
          if (this.broken !== null) return this.#end();
          if ((sinceTurn += 1) % MESSAGES_AT_ONCE === 0) await new Promise(setImmediate);
        }
        if (lines.isTooLong) return this.#breakTooLarge();
      }
    } catch {
      // The end of the stream is told by the program’s end.
    }
  }

  #breakTooLarge(): void {
    this.broken ??= { kind: 'too-large', words: new MessageTooLarge().message };
    this.#end();
  }

  #takeLine(line: string): void {
    const trimmed = line.trim();
    if (trimmed === '') return;
    const message = readMessage(trimmed);
    if (message === null) {
      this.complaints.note(`(no message) ${trimmed}`);
      // A greeting is none, and harms nobody; what begins like one was one.
      if (/^[{[]/u.test(trimmed)) this.onGarbled?.({ kind: 'garbled', words: 'it sent a message that is not valid' });
      this.#countUnasked();
      return;
    }
    if ('method' in message) this.#countUnasked();
    this.onmessage?.(message);
  }

  #countUnasked(): void {
    const now = performance.now();
    if (now - this.#unaskedSince > UNASKED_MS) {
      this.#unaskedSince = now;
      this.#unasked = 0;
    }
    if ((this.#unasked += 1) > MAX_UNASKED)
      this.broken ??= { kind: 'flood', words: 'it sent messages without end that nobody had asked for' };
  }

  async #readComplaints(): Promise<void> {
    try {
      for await (const chunk of this.#program.stderr) this.complaints.heard(chunk);
    } catch {
      // The end of the stream is told by the program’s end.
    }
  }

  async #whenEnded(): Promise<void> {
    const end = await this.#program.ended;
    await this.#reading;
    this.broken ??= { kind: 'ended', words: describeEnd(end) };
    this.#closed();
  }

  #end(): void {
    void this.#program.end(0);
    this.#closed();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

function readMessage(line: string): JSONRPCMessage | null {
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return null;
  }
}

export function describeEnd({ code, signal, limit, unstartable }: HeldProgramEnd): string {
  if (unstartable !== null) return unstartable;
  if (limit === 'disk_free')
    return `it was ended: it left less than ${inMib(KEPT_FREE_OF_SOURCES)} of the disk. What it keeps can be cleared on its page, under Tools`;
  if (limit !== null) return `it was ended, since it passed ${limit}`;
  return signal === null ? `it ended with exit code ${code ?? 0}` : `it was ended by ${signal}`;
}
