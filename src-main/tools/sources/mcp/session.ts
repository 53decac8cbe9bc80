import {
  Client,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { SourceConfig } from '#contract/vocabulary/tools/sources.js';
import type { Clock } from '../../../domain/ports/clock.js';
import type { ServerQuestions } from '../../../domain/ports/sources/server-questions.js';
import type { Offer, SourceAnswer, SourceInvocation } from '../../../domain/ports/sources/source.js';
import { HoldableTimeout, toWaitMs } from '../../../platform/timing/holdable-timeout.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { toSourceAnswer } from './source-answer.js';
import type { Connection } from './connection.js';
import { toToolFailure } from './to-tool-failure.js';
import { type GrantedAccess, explainLackingAccess, addLackingAccess } from './lacking-access.js';
import type { BrokenConnection } from './transport/line-transport.js';
import { toOffer } from './to-offer.js';
import { answerQuestions, type CallInFlight, toCapabilities } from './questions/asking.js';
import { addSampledRecords } from './questions/sampled-record.js';

export interface SessionOptions {
  readonly source: string;
  readonly appVersion: string;
  readonly connection: Connection;
  readonly settings: Pick<SourceConfig, 'elicitation' | 'sampling'>;
  /** The folder that the server is told to be the workspace’s, if any. */
  readonly root: string | null;
  readonly prior: PriorDiscovery | null;
  readonly lacking: GrantedAccess;
  /** Called when its list changed, or it ended. */
  readonly onChange: () => void;
  readonly questions: ServerQuestions;
  readonly clock: Pick<Clock, 'monotonic'>;
}

interface RequestTiming {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Aborts when its time is up, where somebody else counts the time. */
  readonly late?: AbortSignal;
}

interface RequestBounds {
  readonly signal: AbortSignal;
  readonly timeout: number;
  readonly maxTotalTimeout: number;
}

/** A server may need to be compiled, or to look around, before it says its first word. */
const START_MS = 60_000;
/** How long a server is asked for what it can before it is taken for one that does not know the question. */
const PROBE_MS = 10_000;
const LIST_MS = 60_000;
/** How long what it offered is taken for what it offers. */
const OFFER_FRESH_MS = 60_000;
const MAX_PAGES = 64;
const MAX_TOOLS = 5000;
const MAX_LISTED_BYTES = 8 * 2 ** 20;

/** A server that has been greeted, for as long as the connection lasts. */
export class Session {
  readonly connection: Connection;
  readonly #made: SessionOptions;
  readonly #client: Client;
  /** Requests in flight, each with the promise of its end. */
  readonly #inFlight = new Map<(broken: BrokenConnection) => void, Promise<void>>();
  /** The calls that a server may ask something for. */
  readonly #callsInFlight = new Set<CallInFlight>();
  #offer: Promise<Offer> | null = null;
  /** Monotonic. */
  #listedAt = 0;
  #relisting: Promise<Offer> | null = null;
  #isOpen = true;

  private constructor(made: SessionOptions) {
    this.#made = made;
    this.connection = made.connection;
    this.#client = new Client(
      { name: 'gatehouse', title: 'Gatehouse', version: made.appVersion },
      {
        capabilities: { roots: {}, ...toCapabilities(made.settings) },
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_MS } },
        listMaxPages: MAX_PAGES,
        listChanged: { tools: { autoRefresh: false, onChanged: () => this.#listChanged() } },
      },
    );
    const { root, connection } = made;
    this.#client.setRequestHandler('roots/list', () => ({
      roots: root === null ? [] : [{ uri: pathToFileURL(root).href, name: 'Workspace' }],
    }));
    answerQuestions(this.#client, { ...made, calls: () => [...this.#callsInFlight] });
    this.#client.setNotificationHandler('notifications/message', ({ params }) => {
      const from = params.logger === undefined ? '' : ` ${params.logger}:`;
      const data = typeof params.data === 'string' ? params.data : JSON.stringify(params.data);
      connection.complaints.note(`[${params.level}]${from} ${data}`);
    });
    Object.assign(this.#client, {
      onerror: (error: Error) => connection.complaints.note(`(protocol) ${error.message}`),
      onclose: () => this.#markClosed(),
    } satisfies Pick<Client, 'onerror' | 'onclose'>);
    connection.onBroken = (broken) => this.#breakAll(broken);
  }

  /** Throws what the SDK throws; then nothing of it is left. */
  static async open(made: SessionOptions): Promise<Session> {
    const session = new Session(made);
    try {
      await session.#client.connect(made.connection.transport, {
        timeout: START_MS,
        ...(made.prior === null ? {} : { prior: made.prior }),
      });
      made.connection.greeted();
      session.#requestLog();
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#isOpen && this.connection.broken === null;
  }

  /** Resolves when no request is in flight. */
  async whenIdle(): Promise<void> {
    while (this.#isOpen && this.#inFlight.size > 0) await Promise.race(this.#inFlight.values());
  }

  /** The protocol that was spoken at the greeting: the next time the server need not be asked. */
  get spoke(): PriorDiscovery | null {
    return this.#client.getProtocolEra() === 'legacy' ? { kind: 'legacy' } : null;
  }

  /**
   * The offer, the same object as long as the server says nothing else. The server is asked again after a while, and
   * where it did not know what it was asked for: not every server reports that its list changed.
   */
  offer(): Promise<Offer> {
    const known = this.#offer;
    if (known === null) return this.#listFirst();
    if (this.#made.clock.monotonic() - this.#listedAt < OFFER_FRESH_MS) return known;
    return (this.#relisting ??= this.#relist(known).finally(() => (this.#relisting = null)));
  }

  #listFirst(): Promise<Offer> {
    this.#listedAt = this.#made.clock.monotonic();
    const listed = this.#list().catch((error: unknown) => {
      if (this.#offer === listed) this.#offer = null;
      throw error;
    });
    this.#offer = listed;
    return listed;
  }

  async #relist(known: Promise<Offer>): Promise<Offer> {
    const before = await known;
    const at = this.#made.clock.monotonic();
    let now: Offer;
    try {
      now = await this.#list();
    } catch (error) {
      // Some do one thing at a time: who is at work for somebody is asked before the next call.
      if (this.#inFlight.size > 0 && isTimeout(error)) return before;
      throw error;
    }
    // The server said meanwhile that its tools changed.
    if (this.#offer !== known) return await this.offer();
    this.#listedAt = at;
    if (isDeepStrictEqual(now, before)) return before;
    this.#offer = Promise.resolve(now);
    return now;
  }

  /** Throws a `ToolFailure`, or what is no end of the call: that its session is not known there any more. */
  async call(invocation: SourceInvocation): Promise<SourceAnswer> {
    const { operation, args } = invocation;
    const tool = { name: operation.operation, inputSchema: operation.inputSchema as JsonObject & { type: 'object' } };
    const ended = new AbortController();
    const { signal, timeoutMs, config } = invocation;
    const late = new AbortController();
    const mostHeld = toWaitMs(config.tools.approval.wait_seconds);
    const time = new HoldableTimeout(timeoutMs, mostHeld, () =>
      late.abort(new SdkError(SdkErrorCode.RequestTimeout, 'late')),
    );
    const asking: CallInFlight = {
      callId: invocation.callId,
      operation: operation.operation,
      over: ended.signal,
      hold: () => {
        const holds = [time.hold(), invocation.waitsForPerson?.()];
        return () => holds.forEach((letGo) => letGo?.());
      },
      questions: 0,
      sampled: [],
    };
    this.#callsInFlight.add(asking);
    const { network } = this.connection;
    const began = network?.mark() ?? 0;
    const lacked = (said: string): string | null =>
      explainLackingAccess(this.#made.lacking, said, network?.refusedSince(began) ?? []);
    try {
      const result = await this.ask({ signal, timeoutMs: NO_REQUEST_TIMEOUT, late: late.signal }, (client, options) =>
        client.callTool(
          { name: operation.operation, arguments: args },
          {
            ...options,
            onprogress: ({ progress, total, message }) => {
              const percent = total === undefined || total <= 0 ? null : Math.min(100, (100 * progress) / total);
              invocation.onProgress({ percent, phase: message?.slice(0, MAX_PHASE_LENGTH) ?? null });
            },
            // What it gave is checked by whoever accepted it, against what was accepted.
            toolDefinition: tool,
          },
        ),
      );
      const { confinement } = this.connection;
      // A server may say by a result that it does not know the tool.
      if (result.isError === true) this.#listedAt = -Infinity;
      const answer = await toSourceAnswer(result, invocation, { source: this.#made.source, confinement });
      const without = lacked('');
      const told = without === null ? answer : { ...answer, warnings: [...answer.warnings, without] };
      return await addSampledRecords(told, asking.sampled, invocation.keep);
    } catch (error) {
      if (mayBeUnknownTool(error)) this.#listedAt = -Infinity;
      throw addLackingAccess(error, lacked);
    } finally {
      time.clear();
      this.#callsInFlight.delete(asking);
      ended.abort();
    }
  }

  /** Sends one request, which ends when its connection does. Throws as a call does. */
  async ask<T>(
    { signal, timeoutMs, late }: RequestTiming,
    send: (client: Client, options: RequestBounds) => Promise<T>,
  ): Promise<T> {
    const { source } = this.#made;
    const beganAt = performance.now();
    let broken: BrokenConnection | null = null;
    const lost = Promise.withResolvers<never>();
    const onBroken = (why: BrokenConnection): void => {
      broken ??= why;
      lost.reject(new SdkError(SdkErrorCode.ConnectionClosed, why.words));
    };
    const over = Promise.withResolvers<void>();
    this.#inFlight.set(onBroken, over.promise);
    try {
      const stop = late === undefined ? signal : AbortSignal.any([signal, late]);
      const answered = send(this.#client, { signal: stop, timeout: timeoutMs, maxTotalTimeout: timeoutMs });
      answered.catch(() => undefined);
      late?.addEventListener('abort', () => lost.reject(late.reason as Error), { once: true });
      return await Promise.race([answered, lost.promise]);
    } catch (error) {
      if (isUnknownSession(error) && this.connection.hasSession) {
        this.#isOpen = false;
        void this.close();
        throw error;
      }
      const why = broken ?? this.connection.broken;
      throw toToolFailure(error, { source, beganAt, signal, broken: why, complaints: this.connection.complaints.last });
    } finally {
      this.#inFlight.delete(onBroken);
      over.resolve();
      lost.promise.catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    // Without a connection the SDK has nothing to close.
    await Promise.allSettled([this.#client.close(), this.connection.transport.close()]);
    this.#isOpen = false;
  }

  async #list(): Promise<Offer> {
    const { name, version } = this.#client.getServerVersion() ?? {};
    const server = { name: name ?? null, version: version ?? null };
    const offering = (tools: readonly unknown[]): Offer => toOffer(server, tools);
    const isModern = this.#client.getProtocolEra() === 'modern';
    try {
      // What a server of today says of its headers is checked by the SDK, and what it excludes is not offered.
      if (isModern) return offering((await this.#client.listTools(undefined, { timeout: LIST_MS })).tools);
    } catch (error) {
      if (!(error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)) throw error;
    }
    if (this.#client.getServerCapabilities()?.tools === undefined) return offering([]);
    return offering(await this.#listPages());
  }

  /** Fetches the list without validation, so that one tool that is wrong is refused and not all of them. */
  async #listPages(): Promise<readonly unknown[]> {
    const tools: unknown[] = [];
    let cursor: string | undefined;
    let bytes = 0;
    for (let page = 0; page < MAX_PAGES && tools.length <= MAX_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await this.#client.request({ method: 'tools/list', params }, ANY_OBJECT, { timeout: LIST_MS });
      if (!Array.isArray(answer['tools'])) throw new SdkError(SdkErrorCode.InvalidResult, 'its list of tools is none');
      tools.push(...(answer['tools'] as unknown[]));
      // The rest would be left out anyway: what came says so.
      bytes += Buffer.byteLength(JSON.stringify(answer['tools']));
      if (bytes > MAX_LISTED_BYTES) return tools;
      const next = answer['nextCursor'];
      if (typeof next !== 'string' || next === cursor) return tools;
      cursor = next;
    }
    throw new SdkError(SdkErrorCode.ListPaginationExceeded, 'its list of tools has no end');
  }

  /**
   * Asks for the server's log: some say nothing until they are told how much. Nobody waits for that, and one that
   * refuses says nothing.
   */
  #requestLog(): void {
    if (this.#client.getProtocolEra() !== 'legacy' || this.#client.getServerCapabilities()?.logging === undefined)
      return;
    void this.#client.setLoggingLevel('info', { timeout: LIST_MS }).catch(() => undefined);
  }

  #listChanged(): void {
    this.#offer = null;
    this.#made.onChange();
  }

  #breakAll(broken: BrokenConnection): void {
    for (const tell of this.#inFlight.keys()) tell(broken);
  }

  #markClosed(): void {
    this.#isOpen = false;
    this.#made.onChange();
  }
}

const MAX_PHASE_LENGTH = 200;
/** A call’s time is counted here: it stands still while its server asks. */
const NO_REQUEST_TIMEOUT = 2 ** 31 - 1;

const isTimeout = (error: unknown): boolean => error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;

/** Whether it answered with an error, which may be that it does not know what it was asked for. */
const mayBeUnknownTool = (error: unknown): boolean => error instanceof ToolFailure && error.failure.eCode === 'E3304';

const isUnknownSession = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'status' in error && error.status === 404;

/** A schema of any object: what it means is checked here. */
const ANY_OBJECT: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  '~standard': {
    version: 1,
    vendor: 'gatehouse',
    validate: (value) =>
      typeof value === 'object' && value !== null
        ? { value: value as Readonly<Record<string, unknown>> }
        : { issues: [{ message: 'is no object' }] },
  },
};
