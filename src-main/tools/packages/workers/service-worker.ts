import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Outside } from '../../../domain/ports/outside.js';
import {
  type RunningWorker,
  type WorkerEnd,
  type WorkerPlan,
  WorkerProblem,
  type WorkerRunner,
} from '../../../domain/ports/sources/worker.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import type { PlacedWorker } from './placed-worker.js';

export interface ServiceTimes {
  readonly healthEveryMs: number;
  readonly healthWithinMs: number;
  readonly backOffMs: number;
  readonly longestBackOffMs: number;
  readonly graceMs: number;
  /** How long a call waits for a program that is being started. What has to be built first may take its time. */
  readonly callWaitsMs: number;
}

export const SERVICE_TIMES: ServiceTimes = {
  healthEveryMs: 5000,
  healthWithinMs: 5000,
  backOffMs: 500,
  longestBackOffMs: 30_000,
  graceMs: 2000,
  callWaitsMs: 30_000,
};

/** A worker that gave no answer so many times is started anew, where nothing runs in it. */
const MAX_SILENCES = 3;

export interface ServiceState {
  readonly running: 'stopped' | 'starting' | 'running' | 'waiting' | 'failed';
  /** Null as long as it was not asked. */
  readonly healthy: boolean | null;
  readonly restarts: number;
  readonly problem: string | null;
}

interface ServiceWorkerDeps {
  readonly runner: Pick<WorkerRunner, 'start'>;
  /** Made anew for each start: what its secrets stand for is looked up then. */
  readonly plan: () => WorkerPlan;
  readonly outside: Outside;
  readonly times: ServiceTimes;
  readonly onChange: () => void;
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', what: string, facts: object) => void;
}

/**
 * A worker that is kept running: started, checked every few seconds, started again when it ends, ended with the
 * package.
 */
export class ServiceWorker {
  readonly #parts: ServiceWorkerDeps;
  #running: RunningWorker | null = null;
  #starting: Promise<RunningWorker> | null = null;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #inFlight = 0;
  #onIdle: (() => void) | null = null;
  /** While it waits to be started again: how that ends. */
  #pendingRestart: PromiseWithResolvers<RunningWorker> | null = null;
  #failures = 0;
  #silences = 0;
  #lastLog = '';
  #startedSecrets: Readonly<Record<string, string>> | null = null;
  #state: ServiceState = { running: 'stopped', healthy: null, restarts: 0, problem: null };

  constructor(parts: ServiceWorkerDeps) {
    this.#parts = parts;
  }

  get state(): ServiceState {
    return this.#state;
  }

  /** Whether it has other secrets than it would be started with now. */
  get isOutdated(): boolean {
    return this.#startedSecrets !== null && !isDeepStrictEqual(this.#startedSecrets, this.#parts.plan().secrets);
  }

  /** The end of what it wrote. */
  get log(): string {
    return this.#running?.log() ?? this.#lastLog;
  }

  /** Starts the worker, and keeps it running from now on as far as that can be. */
  begin(): void {
    void this.#joinStart().catch(() => undefined);
  }

  /** Takes the worker for one call. Throws a `ToolFailure` where it can't be had. */
  async use(signal: AbortSignal): Promise<PlacedWorker> {
    this.#inFlight += 1;
    try {
      const running = this.#running ?? (await this.#waitForStart(signal));
      const mark = running.mark();
      let isDone = false;
      return {
        running,
        traffic: () => running.trafficSince(mark),
        // A worker that works begins with short waits again.
        answered: () => (this.#failures = 0),
        done: async () => {
          if (!isDone) this.#release();
          isDone = true;
        },
      };
    } catch (error) {
      this.#release();
      signal.throwIfAborted();
      throw new ToolFailure(unavailableFailure(this.#parts.plan().worker, error));
    }
  }

  async #waitForStart(signal: AbortSignal): Promise<RunningWorker> {
    const { callWaitsMs } = this.#parts.times;
    if (this.#parts.plan().runs.kind !== 'command') return waitUntilAborted(this.#joinStart(), signal);
    const late = new AbortController();
    const said = `It did not listen in ${callWaitsMs / 1000} s. It may still come.`;
    const timer = setTimeout(() => late.abort(new WorkerProblem(said)), callWaitsMs);
    try {
      return await waitUntilAborted(this.#joinStart(), AbortSignal.any([signal, late.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  #release(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#onIdle?.();
  }

  /** Lets the calls in flight end as they began, and then ends it. */
  async retire(): Promise<void> {
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.close();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#clearTimer();
    this.#pendingRestart?.reject(new WorkerProblem(PACKAGE_RETIRED));
    this.#pendingRestart = null;
    const running = this.#running ?? (await this.#starting?.catch(() => null)) ?? null;
    await running?.stop(this.#parts.times.graceMs);
    this.#updateState({ running: 'stopped', healthy: null });
  }

  /** Where it waits to be started again, however many calls come meanwhile: they wait with it. */
  #joinStart(): Promise<RunningWorker> {
    return this.#pendingRestart?.promise ?? this.#start();
  }

  #start(): Promise<RunningWorker> {
    this.#clearTimer();
    this.#starting ??= this.#startNow().finally(() => (this.#starting = null));
    return this.#starting;
  }

  async #startNow(): Promise<RunningWorker> {
    const { runner, plan, log } = this.#parts;
    if (this.#stop.signal.aborted) throw new WorkerProblem(PACKAGE_RETIRED);
    this.#updateState({ running: 'starting', healthy: null });
    const planned = plan();
    this.#startedSecrets = planned.secrets;
    try {
      const running = await runner.start(planned, this.#stop.signal);
      if (!(await this.#isAnswering(running))) {
        this.#lastLog = running.log();
        await running.stop(0);
        throw new WorkerProblem('It takes connections, and answers nothing: GET /health had no answer.');
      }
      if (this.#stop.signal.aborted) {
        await running.stop(0);
        throw new WorkerProblem(PACKAGE_RETIRED);
      }
      this.#running = running;
      this.#silences = 0;
      this.#updateState({ running: 'running', healthy: true, problem: null });
      log('info', 'A worker runs', { worker: planned.worker, by: running.isolation.by, pid: running.pid });
      void running.ended.then((end) => this.#ended(running, end));
      this.#setTimer(() => void this.#probe(running), this.#parts.times.healthEveryMs);
      return running;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      this.#updateState({ running: this.#stop.signal.aborted ? 'stopped' : 'failed', healthy: null, problem });
      log('error', 'A worker could not be started', { worker: planned.worker, problem });
      this.#scheduleRestart();
      throw error;
    }
  }

  #ended(running: RunningWorker, { code, signal, limit }: WorkerEnd): void {
    if (this.#running !== running) return;
    this.#running = null;
    this.#lastLog = running.log();
    if (this.#stop.signal.aborted) return;
    const how = limit !== null ? `at a limit (${limit})` : signal !== null ? `by ${signal}` : `with exit code ${code}`;
    this.#updateState({ running: 'waiting', healthy: false, problem: `It ended ${how}.` });
    this.#parts.log('warn', 'A worker ended', { worker: this.#parts.plan().worker, code, signal, limit });
    this.#scheduleRestart();
  }

  /** Started again, each time a little later. */
  #scheduleRestart(): void {
    if (this.#stop.signal.aborted) return;
    const { backOffMs, longestBackOffMs } = this.#parts.times;
    const wait = Math.min(longestBackOffMs, backOffMs * 2 ** this.#failures);
    this.#failures += 1;
    const again = Promise.withResolvers<RunningWorker>();
    // Nobody may wait for it.
    again.promise.catch(() => undefined);
    this.#pendingRestart = again;
    this.#setTimer(() => {
      this.#pendingRestart = null;
      this.#updateState({ restarts: this.#state.restarts + 1 });
      this.#start().then(again.resolve, again.reject);
    }, wait);
  }

  async #probe(running: RunningWorker): Promise<void> {
    if (this.#running !== running || this.#stop.signal.aborted) return;
    const healthy = await this.#isAnswering(running);
    if (this.#running !== running || this.#stop.signal.aborted) return;
    this.#silences = healthy ? 0 : this.#silences + 1;
    // A worker that answered for a while begins with short waits again.
    if (healthy) this.#failures = 0;
    this.#updateState({ healthy });
    if (this.#silences >= MAX_SILENCES && this.#inFlight === 0) {
      this.#parts.log('warn', 'A worker answers nothing, and is started again', { worker: this.#parts.plan().worker });
      await running.stop(this.#parts.times.graceMs);
      return;
    }
    this.#setTimer(() => void this.#probe(running), this.#parts.times.healthEveryMs);
  }

  /** Whether the worker answers. Any answer will do. */
  async #isAnswering(running: RunningWorker): Promise<boolean> {
    const within = AbortSignal.timeout(this.#parts.times.healthWithinMs);
    try {
      const answer = await this.#parts.outside.send(
        {
          method: 'GET',
          url: `${LOCAL_WORKER_URL}/health`,
          within: LOCAL_WORKER_URL,
          headers: {},
          body: null,
          keys: [],
          socketPath: running.socketPath,
        },
        AbortSignal.any([within, this.#stop.signal]),
      );
      await answer.bytes(MAX_HEALTH_BYTES).catch(() => undefined);
      return true;
    } catch (error) {
      // What answers with a redirect, or compressed, answers.
      const kind = error instanceof Error && 'kind' in error ? error.kind : null;
      return kind === 'redirect' || kind === 'not-understood';
    }
  }

  #setTimer(what: () => void, ms: number): void {
    this.#clearTimer();
    this.#timer = setTimeout(what, ms);
    this.#timer.unref();
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #updateState(more: Partial<ServiceState>): void {
    this.#state = { ...this.#state, ...more };
    this.#parts.onChange();
  }
}

const PACKAGE_RETIRED = 'Its package is not in force any more.';

/** The base URL of every local worker. The host does not matter: a worker is reached over its socket. */
export const LOCAL_WORKER_URL = 'http://localhost';
const MAX_HEALTH_BYTES = 64 * 1024;

export function unavailableFailure(worker: string, error: unknown): Failure {
  const why = error instanceof Error ? error.message : String(error);
  return {
    code: 'SourceUnavailable',
    message: `The worker “${worker}” can’t be had now, and nothing was sent: ${why}`,
    eCode: 'E3101',
  };
}

async function waitUntilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
