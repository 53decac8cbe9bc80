import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import { SerialQueue } from '../../platform/serial-queue.js';
import { readLines } from '../line-reader.js';
import type { AppPipe } from './app-pipe.js';
import { ClientFolder } from './client-folder.js';
import type { StandInServer } from './stand-in-server.js';
import { answerInstead, asRpcMessage, envelopeVersion, isRequest, rpcError, type RpcMessage } from './rpc-message.js';

export interface BridgeOptions {
  /** A new pipe to the app, for who was started in that place. Asked again whenever the last one broke. */
  readonly open: (place: string | null) => Promise<AppPipe>;
  /** Writes one message to the client. Resolves when there is room for the next. */
  readonly write: (message: string) => Promise<void>;
  /** Where this process was started; null where that is gone. */
  readonly cwd: string | null;
  readonly standIn: StandInServer;
  readonly rootsMs?: number;
  readonly patienceMs?: number;
}

/** So long the app may take before the client is answered in its place. */
const PATIENCE_MS = 500;
const NOT_RUNNING = 'Gatehouse is not running. Ask the user to open it, then try again.';
const LOST =
  'Gatehouse stopped, or the user ended this connection, while this was in progress, so its outcome is not known ' +
  'here. If it was a call, it is in ' +
  'Gatehouse’s history; look at the state of things before you repeat it.';
/** The app's own limit for a line, and what its answer adds to the longest result. */
const MAX_LINE = 64 * 1024 * 1024;

interface InFlight {
  readonly message: RpcMessage;
  readonly answered: () => void;
}

/**
 * Carries lines between a client on stdin/stdout and the app's socket, as they are. What it adds: the beginning of a session, which
 * waits for nobody, an answer for what the app can't answer any more, and, when the app was restarted, a new session in place of the old.
 */
export class Bridge {
  readonly #options: BridgeOptions;
  readonly #inFlight = new Map<string, InFlight>();
  #pipe: Duplex | null = null;
  readonly #turns = new SerialQueue();
  #queued = 0;
  /** The client's own introduction, to be repeated to an app that was restarted. */
  #introduction: RpcMessage | null = null;
  /** Ids of requests that the client did not make: their answers are not for it. */
  readonly #ours = new Map<string, (result: unknown) => void>();
  readonly #place: ClientFolder;
  /** The app's answer to `initialize`. */
  #itself: unknown = null;
  #folder = '';
  #wasThere = false;
  #closed = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#place = new ClientFolder({
      cwd: options.cwd,
      write: (message) => void options.write(message),
      ...(options.rootsMs === undefined ? {} : { rootsMs: options.rootsMs }),
    });
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
    if (this.#place.takes(message)) return;
    if (envelopeVersion(message) === null) {
      if (message.method === 'initialize' && message.id !== undefined) return this.#introduced(message);
      if (message.method === 'notifications/initialized') return this.#initialized();
      // Where it works was settled.
      if (message.method === 'notifications/roots/list_changed') return;
    }
    if (this.#pipe === null && !this.#wasThere && isRequest(message) && this.#options.standIn.isAnswered(message))
      return this.#answerSoon(message, line);
    const pipe = this.#pipe !== null && this.#queued === 0 ? this.#pipe : await this.#inTurn();
    if (typeof pipe === 'string') return this.#excuse(message, pipe);
    await this.#forward(pipe, message, line);
  }

  /** The client begins its session, and is answered whether or not the app is there. */
  async #introduced(message: RpcMessage): Promise<void> {
    this.#introduction ??= message;
    const hasRoots = this.#place.introduced(message);
    // A client with roots has yet to name them: nothing is known yet of what the app will say.
    const pipe = hasRoots ? null : await waitAtMost(this.#inTurn(), this.#patienceMs);
    const place = hasRoots ? null : await this.#place.settled;
    const isThere = pipe !== null && typeof pipe !== 'string' && isJsonObject(this.#itself);
    const { standIn: meanwhile } = this.#options;
    const said = isThere && isJsonObject(this.#itself) ? this.#itself : await meanwhile.introduction(message, place);
    const folder = isThere ? this.#folder : place;
    await this.#options.write(
      JSON.stringify({ jsonrpc: '2.0', id: message.id, result: hasRoots ? said : withFolder(said, folder) }),
    );
  }

  /** Handles that the client is ready: its roots can be asked for, and the app is contacted before it is needed. */
  #initialized(): void {
    this.#place.wanted();
    void this.#inTurn();
  }

  /**
   * Lets the app answer where it is quick, and answers in its place otherwise; where the app's own answer differs, the
   * client hears of it later.
   */
  async #answerSoon(message: RpcMessage, line: Buffer): Promise<void> {
    const connecting = this.#inTurn();
    const pipe = await waitAtMost(connecting, message.method === 'ping' ? 0 : this.#patienceMs);
    if (typeof pipe === 'string') return this.#excuse(message, pipe);
    if (pipe !== null) return this.#forward(pipe, message, line);
    const place = await waitAtMost(this.#place.settled, 0);
    const answer = await this.#options.standIn.answer(message, place);
    await this.#options.write(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer }));
    const late = await connecting;
    if (typeof late !== 'string' && message.method === 'tools/list') await this.#compareTools(late);
  }

  /** Compares the tools that the client was told in the app's place with those that the app has. */
  async #compareTools(stream: Duplex): Promise<void> {
    if (!this.#options.standIn.hasTold) return;
    const result = await this.#askApp(stream, 'tools/list', {});
    if (this.#options.standIn.listed(result, await this.#place.settled)) await this.#options.write(TOOLS_CHANGED);
  }

  get #patienceMs(): number {
    return this.#options.patienceMs ?? PATIENCE_MS;
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
  async #inTurn(): Promise<Duplex | string> {
    this.#queued += 1;
    try {
      return await this.#turns.run(() => this.#pipe ?? this.#open());
    } finally {
      this.#queued -= 1;
    }
  }

  /** Gives why there is none, in words, where there is none. */
  async #open(): Promise<Duplex | string> {
    this.#place.wanted();
    const opened = await this.#options.open(await this.#place.settled);
    if (!opened.ok) return opened.refused ?? NOT_RUNNING;
    const { stream } = opened;
    if (this.#closed) {
      stream.destroy();
      return NOT_RUNNING;
    }
    this.#folder = opened.workspace;
    void this.#listen(stream);
    if (this.#introduction !== null) await this.#introduce(stream, this.#introduction);
    if (stream.destroyed) return NOT_RUNNING;
    this.#pipe = stream;
    this.#wasThere = true;
    return stream;
  }

  /** The client's introduction in its name; and after a restart, of which the app that is there knows nothing. */
  async #introduce(stream: Duplex, introduction: RpcMessage): Promise<void> {
    const { id: _its, ...said } = introduction;
    this.#itself = await this.#askApp(stream, said.method ?? '', said.params ?? {});
    this.#options.standIn.introduced(this.#itself);
    stream.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    // The tools may be others now.
    if (this.#wasThere) await this.#options.write(TOOLS_CHANGED);
  }

  /** A request of our own; its answer is not for the client. Null where none came. */
  async #askApp(stream: Duplex, method: string, params: object): Promise<unknown> {
    const id = `ours-${randomUUID()}`;
    const answered = new Promise<unknown>((resolve) => this.#ours.set(JSON.stringify(id), resolve));
    stream.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return answered;
  }

  async #listen(stream: Duplex): Promise<void> {
    try {
      for await (const line of readLines(stream, MAX_LINE)) if (line.kind === 'line') await this.#pass(line.bytes);
    } catch {
      // The pipe broke: the app is gone, or ended it.
    }
    stream.destroy();
    if (this.#pipe === stream) this.#pipe = null;
    for (const answered of this.#ours.values()) answered(null);
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
        return ours(reply.result ?? null);
      }
      const found = this.#inFlight.get(key);
      this.#inFlight.delete(key);
      await this.#options.write(text);
      if (found?.message.method === 'tools/list') this.#options.standIn.listed(reply.result, await this.#place.settled);
      return found?.answered();
    }
    await this.#options.write(text);
  }

  async #excuse(message: RpcMessage, why: string): Promise<void> {
    if (isRequest(message) && !this.#closed) await this.#options.write(answerInstead(message, why));
  }
}

/** The result if it comes in time; otherwise null, while the work goes on by itself. */
function waitAtMost<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ms);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A client that can't say where it was started is told where its calls go. */
function withFolder(said: JsonObject, folder: string | null): JsonObject {
  const { instructions } = said;
  if (folder === null || folder === '' || typeof instructions !== 'string') return said;
  return { ...said, instructions: `${instructions} They work in ${folder}.` };
}

const TOOLS_CHANGED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
const NEWLINE = Buffer.from('\n');
