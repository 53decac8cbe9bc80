import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { GatewayAddress } from '../../platform/gateway-file.js';
import {
  answerInstead,
  asRpcMessage,
  envelopeHeaders,
  envelopeVersion,
  isRequest,
  rpcError,
  type RpcMessage,
} from './rpc-message.js';
import { sseMessages } from './sse-messages.js';
import { neverArrived, Upstream } from './upstream.js';

export interface BridgeOptions {
  /** Where the app is now; null when it doesn't run. Asked again whenever it can't be reached. */
  readonly find: () => GatewayAddress | null;
  /** One message for the client. Resolves when there is room for the next. */
  readonly write: (message: string) => Promise<void>;
  /** How long to wait before the stream of news is opened again. */
  readonly retryMs?: number;
}

const NOT_RUNNING = 'Gatehouse is not running. Ask the person to open it, then try again.';
const LOST =
  'Gatehouse stopped while this was in progress, so its outcome is not known here. If it was a call, it is in ' +
  'Gatehouse’s history; look at the state of things before you repeat it.';

/** How long an answer's head may take until a cancellation is sent after it all the same. */
const CANCEL_AFTER_MS = 1000;

/**
 * Carries messages between a client on stdin/stdout and the app's gateway, as they are. What it adds: the session and
 * the headers, which a client on a pipe knows nothing of; and when the app was restarted, a new session in place of the old.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #name = randomUUID();
  readonly #abort = new AbortController();
  readonly #inFlight = new Map<string, { readonly abort: AbortController; readonly arrived: Promise<unknown> }>();
  #upstream: Upstream | null = null;
  #session: string | null = null;
  #version: string | null = null;
  /** The client's own introduction, to be repeated to an app that was restarted. */
  #introduction: RpcMessage | null = null;
  #initializing: Promise<unknown> = Promise.resolve();
  #news: AbortController | null = null;

  constructor(options: BridgeOptions) {
    this.#options = options;
  }

  /** Takes one line from the client. Never rejects; resolves when all that it brought back is written. */
  async take(line: string): Promise<void> {
    if (line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      await this.#options.write(rpcError(-32_700, 'Parse error: this line is not valid JSON.'));
      return;
    }
    const message = asRpcMessage(value) ?? {};
    if (message.method === 'initialize' && envelopeVersion(message) === null) {
      this.#introduction = message;
      this.#session = null;
      const introduced = this.#forward(message, line);
      this.#initializing = introduced;
      await introduced;
      return;
    }
    await this.#initializing;
    if (message.method === 'notifications/cancelled') await this.#passCancellation(message, line);
    else await this.#forward(message, line);
  }

  /** The client is gone: what it waited for is let go, and the session ended. */
  async close(): Promise<void> {
    this.#abort.abort();
    this.#news?.abort();
    for (const { abort } of this.#inFlight.values()) abort.abort();
    if (this.#session !== null) {
      const headers = this.#sessionHeaders();
      const answer = await this.#upstream
        ?.send('DELETE', '/mcp', headers, null, AbortSignal.timeout(1000))
        .catch(() => null);
      answer?.resume();
    }
    this.#upstream?.close();
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  async #forward(message: RpcMessage, line: string): Promise<void> {
    const key = isRequest(message) ? JSON.stringify(message.id) : null;
    const abort = new AbortController();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<null>();
    const mine = { abort, arrived };
    // An id that is in use already keeps its first owner; the app says what is wrong with the second.
    if (key !== null && !this.#inFlight.has(key)) this.#inFlight.set(key, mine);
    try {
      const answer = await this.#send(message, line, abort.signal);
      arrive(null);
      if (answer === null) await this.#excuse(message, NOT_RUNNING);
      else await this.#pass(message, answer);
    } catch {
      if (!abort.signal.aborted) await this.#excuse(message, LOST);
    } finally {
      arrive(null);
      if (key !== null && this.#inFlight.get(key) === mine) this.#inFlight.delete(key);
    }
  }

  /**
   * Null: there is no app to send it to. Tries a call again only where the app can't have taken it: it was not reached,
   * or it refused the token or the session, which it does before it looks at anything.
   */
  async #send(message: RpcMessage, line: string, signal: AbortSignal): Promise<IncomingMessage | null> {
    for (let attempt = 0; ; attempt += 1) {
      const upstream = this.#connect();
      if (upstream === null) return null;
      const lastTry = attempt === 2;
      try {
        const answer = await upstream.send('POST', '/mcp', this.#headersFor(message), line, signal);
        const status = answer.statusCode ?? 0;
        if (lastTry || (status !== 401 && status !== 404)) return answer;
        answer.resume();
        if (status === 401) this.#disconnect();
        else if (message.method !== 'initialize' && !(await this.#introduceAgain())) return null;
      } catch (error) {
        // Only a call does something; all else may be asked twice.
        const mayTryAgain = neverArrived(error) || message.method !== 'tools/call';
        if (signal.aborted || !mayTryAgain) throw error;
        if (lastTry) return null;
        if (neverArrived(error)) this.#disconnect();
      }
    }
  }

  async #pass(message: RpcMessage, answer: IncomingMessage): Promise<void> {
    let answered = !isRequest(message);
    const onMessage = async (text: string): Promise<void> => {
      const reply = asRpcMessage(JSON.parse(text));
      if (message.method === 'initialize') this.#noteSession(answer, reply?.result);
      if (reply?.method === undefined && reply?.id === message.id) answered = true;
      // Whatever the app may put between them, a line is a message.
      await this.#options.write(text.includes('\n') ? JSON.stringify(JSON.parse(text)) : text);
    };
    const type = answer.headers['content-type'] ?? '';
    if (type.startsWith('text/event-stream')) {
      for await (const text of sseMessages(answer)) await onMessage(text);
      // A cancelled request ends without an answer, as the protocol wants it.
      const cancelled = isRequest(message) && !this.#inFlight.has(JSON.stringify(message.id));
      if (!answered && !cancelled && !this.#abort.signal.aborted) await this.#excuse(message, LOST);
      return;
    }
    const text = await textOf(answer);
    const reply = text === '' ? null : (asRpcMessage(JSON.parse(text)) as { readonly jsonrpc?: unknown } | null);
    if (reply?.jsonrpc === '2.0') await onMessage(withId(text, message));
    else if (!answered) await this.#excuse(message, `Gatehouse answered with HTTP status ${answer.statusCode}.`);
    if (message.method === 'notifications/initialized') void this.#listenForNews();
  }

  async #excuse(message: RpcMessage, why: string): Promise<void> {
    if (isRequest(message) && !this.#abort.signal.aborted) await this.#options.write(answerInstead(message, why));
  }

  /** A cancellation must not overtake what it cancels, and without a session it is the end of the connection. */
  async #passCancellation(message: RpcMessage, line: string): Promise<void> {
    const key = JSON.stringify(message.params?.requestId);
    const cancelled = this.#inFlight.get(key);
    if (cancelled !== undefined && this.#session !== null) {
      const timeout = new Promise((resolve) => setTimeout(resolve, CANCEL_AFTER_MS).unref());
      await Promise.race([cancelled.arrived, timeout]);
    }
    this.#inFlight.delete(key);
    if (this.#session === null) cancelled?.abort.abort();
    else await this.#forward(message, line);
  }

  #connect(): Upstream | null {
    if (this.#upstream !== null) return this.#upstream;
    const address = this.#options.find();
    this.#upstream = address === null ? null : new Upstream(address, this.#name);
    return this.#upstream;
  }

  #disconnect(): void {
    this.#upstream?.close();
    this.#upstream = null;
  }

  #headersFor(message: RpcMessage): Record<string, string> {
    const version = envelopeVersion(message);
    if (version !== null) return envelopeHeaders(message, version);
    return message.method === 'initialize' ? {} : this.#sessionHeaders();
  }

  #sessionHeaders(): Record<string, string> {
    return {
      ...(this.#session === null ? {} : { 'mcp-session-id': this.#session }),
      ...(this.#version === null ? {} : { 'mcp-protocol-version': this.#version }),
    };
  }

  #noteSession(answer: IncomingMessage, result: unknown): void {
    const id = answer.headers['mcp-session-id'];
    const { protocolVersion } = (result ?? {}) as { readonly protocolVersion?: unknown };
    if (typeof id !== 'string' || typeof protocolVersion !== 'string') return;
    this.#session = id;
    this.#version = protocolVersion;
  }

  /** After a restart the app knows nothing of the session: the client's introduction is repeated in its name. */
  async #introduceAgain(): Promise<boolean> {
    const lost = this.#session;
    const introduce = async (): Promise<boolean> => {
      const upstream = this.#connect();
      if (this.#session !== lost) return true;
      if (upstream === null || this.#introduction === null) return false;
      const introduction = { ...this.#introduction, id: `again-${randomUUID()}` };
      const answer = await upstream.send('POST', '/mcp', {}, JSON.stringify(introduction), this.#abort.signal);
      for await (const text of sseMessages(answer))
        this.#noteSession(answer, (JSON.parse(text) as { readonly result?: unknown }).result);
      if (this.#session === lost) return false;
      const done = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
      (await upstream.send('POST', '/mcp', this.#sessionHeaders(), done, this.#abort.signal)).resume();
      void this.#listenForNews();
      // The tools may be others now.
      await this.#options.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
      return true;
    };
    const again = this.#initializing.then(introduce, introduce).catch(() => false);
    this.#initializing = again;
    return again;
  }

  /** What the app says unasked: changed tools, log messages. */
  async #listenForNews(): Promise<void> {
    this.#news?.abort();
    const news = new AbortController();
    this.#news = news;
    const session = this.#session;
    const isCurrent = (): boolean => !news.signal.aborted && session !== null && session === this.#session;
    while (isCurrent()) {
      try {
        const answer = await this.#connect()?.send('GET', '/mcp', this.#sessionHeaders(), null, news.signal);
        if (answer?.statusCode === 404) {
          answer.resume();
          await this.#introduceAgain();
          return;
        }
        if (answer?.statusCode === 200) for await (const text of sseMessages(answer)) await this.#options.write(text);
        else answer?.resume();
      } catch (error) {
        if (neverArrived(error)) this.#disconnect();
      }
      await pause(this.#options.retryMs ?? 1000, news.signal);
    }
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The transport's own errors carry no id; the client must still find its request. */
function withId(text: string, message: RpcMessage): string {
  const reply = JSON.parse(text) as { readonly id?: unknown };
  return JSON.stringify(reply.id === null && message.id !== undefined ? { ...reply, id: message.id } : reply);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    timer.unref();
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
