import type { Duplex } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';
import type { JsonCounter } from '../json-bounds.js';
import { readLines } from '../line-reader.js';
import { LONGEST_MESSAGE } from '../../domain/size-bounds.js';

type ErrorId = RequestId | null;

/**
 * Messages as lines of a stream, straight to the server and back. What over HTTP is looked at on the way is looked at
 * here: size, how much a message holds, whether it is one, and ids that are still in use.
 */
export class PipeTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #stream: Duplex;
  readonly #instead: (message: JSONRPCMessage) => JSONRPCMessage | null;
  readonly #onEnd: () => void;
  /** The ids of requests that were not answered yet, by type and value: 1 and "1" are two. */
  readonly #unanswered = new Set<string>();
  #closed = false;

  /** `instead` answers a message in the server's place, or gives null; `onEnd` hears of the end before the server does. */
  constructor(stream: Duplex, instead: (message: JSONRPCMessage) => JSONRPCMessage | null, onEnd: () => void) {
    this.#stream = stream;
    this.#instead = instead;
    this.#onEnd = onEnd;
  }

  async start(): Promise<void> {
    this.#stream.on('error', () => undefined);
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message))
      this.#unanswered.delete(JSON.stringify(message.id));
    await this.#write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#onEnd();
    this.#stream.end();
    this.onclose?.();
  }

  async #read(): Promise<void> {
    try {
      for await (const line of readLines(this.#stream, LONGEST_MESSAGE)) {
        if (line.kind === 'line') {
          if (!isBlank(line.bytes)) this.#take(line.bytes, line.counted);
        } else this.#refuse(null, -32_600, `A line was longer than ${LONGEST_MESSAGE} bytes and was not read.`);
      }
    } catch {
      // The pipe broke: the client is gone.
    }
    await this.close();
  }

  #take(bytes: Buffer, counter: JsonCounter): void {
    const excess = counter.excess();
    if (excess !== null) return this.#refuse(counter.idIn(bytes), -32_600, excess, { code: 'LimitsExceeded' });
    const message = parse(bytes);
    if (message === undefined) return this.#refuse(null, -32_700, 'Parse error: this line is not valid JSON.');
    if (!isMessage(message)) return this.#refuse(null, -32_600, 'Invalid Request: this is no JSON-RPC message.');
    if (isJSONRPCRequest(message)) {
      const id = JSON.stringify(message.id);
      if (this.#unanswered.has(id)) {
        const why = `The request id ${id} is still in use in this session. Every request needs an id of its own.`;
        return this.#refuse(message.id, -32_600, why);
      }
      this.#unanswered.add(id);
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      // A cancelled request gets no answer.
      this.#unanswered.delete(JSON.stringify(message.params?.['requestId']));
    const answer = this.#instead(message);
    if (answer === null) this.onmessage?.(message);
    else void this.send(answer);
  }

  #refuse(id: ErrorId, code: number, message: string, data?: object): void {
    const error = data === undefined ? { code, message } : { code, message, data };
    void this.#write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  }

  /** Writes at the pace at which the client reads. */
  #write(text: string): Promise<void> {
    const stream = this.#stream;
    if (!stream.writable) return Promise.resolve();
    if (stream.write(text)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        stream.off('drain', done);
        stream.off('close', done);
        resolve();
      };
      stream.once('drain', done);
      stream.once('close', done);
    });
  }
}

const isBlank = (bytes: Buffer): boolean => bytes.length < 16 && bytes.toString('latin1').trim() === '';

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

const isMessage = (value: unknown): value is JSONRPCMessage =>
  isJSONRPCRequest(value) ||
  isJSONRPCNotification(value) ||
  isJSONRPCResultResponse(value) ||
  isJSONRPCErrorResponse(value);
