import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { OneAtATime } from '../../platform/one-at-a-time.js';
import { readLines } from '../line-reader.js';
import type { AppPipe } from './app-pipe.js';
import { answerInstead, asRpcMessage, envelopeVersion, isRequest, rpcError, type RpcMessage } from './rpc-message.js';

export interface BridgeOptions {
  /** A new pipe to the app. Asked again whenever the last one broke. */
  readonly open: () => Promise<AppPipe>;
  /** One message for the client. Resolves when there is room for the next. */
  readonly write: (message: string) => Promise<void>;
}

const NOT_RUNNING = 'Gatehouse is not running. Ask the user to open it, then try again.';
const LOST =
  'Gatehouse stopped, or the user ended this connection, while this was in progress, so its outcome is not known ' +
  'here. If it was a call, it is in ' +
  'Gatehouse’s history; look at the state of things before you repeat it.';
/** The app's own limit for a line, and what its answer adds to the longest result. */
const LONGEST_LINE = 64 * 1024 * 1024;

interface InFlight {
  readonly message: RpcMessage;
  readonly answered: () => void;
}

/**
 * Carries lines between a client on stdin/stdout and the app's socket, as they are. What it adds: an answer for what the
 * app can't answer any more, and, when the app was restarted, a new session in place of the old.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #inFlight = new Map<string, InFlight>();
  #pipe: Duplex | null = null;
  readonly #turns = new OneAtATime();
  #queued = 0;
  /** The client's own introduction, to be repeated to an app that was restarted. */
  #introduction: RpcMessage | null = null;
  /** Ids of introductions that the client did not make: their answers are not for it. */
  readonly #ours = new Map<string, () => void>();
  #closed = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** Takes one line from the client. Never rejects; resolves when it was answered, or nothing is to be. */
  async take(line: Buffer): Promise<void> {
    const text = line.toString('utf8');
    if (text.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      await this.#options.write(rpcError(-32_700, 'Parse error: this line is not valid JSON.'));
      return;
    }
    const message = asRpcMessage(value) ?? {};
    const pipe = this.#pipe !== null && this.#queued === 0 ? this.#pipe : await this.#inTurn(message);
    if (typeof pipe === 'string') return this.#excuse(message, pipe);
    if (message.method === 'initialize' && envelopeVersion(message) === null) this.#introduction = message;
    await this.#forward(pipe, message, line);
  }

  /** The client is gone: what it waited for is let go. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#pipe?.end();
    for (const { answered } of this.#inFlight.values()) answered();
  }

  async #forward(pipe: Duplex, message: RpcMessage, line: Buffer): Promise<void> {
    if (message.method === 'notifications/cancelled') {
      const key = JSON.stringify(message.params?.requestId);
      // As the protocol wants it, a cancelled request gets no answer.
      this.#inFlight.get(key)?.answered();
      this.#inFlight.delete(key);
    }
    const key = isRequest(message) ? JSON.stringify(message.id) : null;
    const { promise, resolve } = Promise.withResolvers<void>();
    // An id that is in use already keeps its first owner; the app says what is wrong with the second.
    if (key !== null && !this.#inFlight.has(key)) this.#inFlight.set(key, { message, answered: resolve });
    else resolve();
    pipe.write(Buffer.concat([line, NEWLINE]));
    await promise;
  }

  /** While a pipe is being opened, what comes waits for it, in order. */
  async #inTurn(message: RpcMessage): Promise<Duplex | string> {
    this.#queued += 1;
    try {
      return await this.#turns.run(() => this.#pipe ?? this.#open(message));
    } finally {
      this.#queued -= 1;
    }
  }

  /** Gives why there is none, in words, where there is none. */
  async #open(first: RpcMessage): Promise<Duplex | string> {
    const opened = await this.#options.open();
    if (!opened.ok) return opened.refused ?? NOT_RUNNING;
    const { stream } = opened;
    if (this.#closed) {
      stream.destroy();
      return NOT_RUNNING;
    }
    void this.#listen(stream);
    const introduces = first.method === 'initialize' || envelopeVersion(first) !== null;
    if (this.#introduction !== null && !introduces) await this.#introduceAgain(stream, this.#introduction);
    if (stream.destroyed) return NOT_RUNNING;
    this.#pipe = stream;
    return stream;
  }

  /** After a restart the app knows nothing of the session: the client's introduction is repeated in its name. */
  async #introduceAgain(stream: Duplex, introduction: RpcMessage): Promise<void> {
    const id = `again-${randomUUID()}`;
    const answered = new Promise<void>((resolve) => this.#ours.set(JSON.stringify(id), resolve));
    stream.write(`${JSON.stringify({ ...introduction, id })}\n`);
    await answered;
    stream.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    // The tools may be others now.
    await this.#options.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
  }

  async #listen(stream: Duplex): Promise<void> {
    try {
      for await (const line of readLines(stream, LONGEST_LINE)) if (line.kind === 'line') await this.#pass(line.bytes);
    } catch {
      // It broke: the app is gone, or ended it.
    }
    stream.destroy();
    if (this.#pipe === stream) this.#pipe = null;
    for (const answered of this.#ours.values()) answered();
    this.#ours.clear();
    const lost = [...this.#inFlight.values()];
    this.#inFlight.clear();
    for (const { message, answered } of lost) {
      await this.#excuse(message, LOST);
      answered();
    }
  }

  async #pass(line: Buffer): Promise<void> {
    const text = line.toString('utf8');
    const reply = asRpcMessage(JSON.parse(text));
    if (reply?.method === undefined && reply?.id !== undefined) {
      const key = JSON.stringify(reply.id);
      const ours = this.#ours.get(key);
      if (ours !== undefined) {
        this.#ours.delete(key);
        return ours();
      }
      const found = this.#inFlight.get(key);
      this.#inFlight.delete(key);
      await this.#options.write(text);
      return found?.answered();
    }
    await this.#options.write(text);
  }

  async #excuse(message: RpcMessage, why: string): Promise<void> {
    if (isRequest(message) && !this.#closed) await this.#options.write(answerInstead(message, why));
  }
}

const NEWLINE = Buffer.from('\n');
