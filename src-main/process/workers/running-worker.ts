import { ErrorOutput } from '../../domain/text/error-output.js';
import type { HeldProgram } from '../../domain/ports/sources/held-program.js';
import {
  type RunningWorker,
  type WorkerEnd,
  type WorkerIsolation,
  WorkerProblem,
} from '../../domain/ports/sources/worker.js';
import type { FilteringProxy } from '../proxy/filtering-proxy.js';

export interface WorkerConnection {
  readonly isolation: WorkerIsolation;
  readonly socketPath: string;
  /** Says on its third pipe when its server takes connections. */
  readonly held: HeldProgram;
  readonly proxy: FilteringProxy;
  readonly port: number;
  /** Fit to be shown: without its secrets. */
  readonly shown: (text: string) => string;
}

/** How long a server may take to listen, where nobody set a nearer end. */
const LISTEN_LIMIT_MS = 60_000;

/** Resolves once its server takes connections; what does not come so far is ended. */
export async function awaitListening(parts: WorkerConnection, signal: AbortSignal): Promise<RunningWorker> {
  const { held, proxy } = parts;
  const log = new ErrorOutput();
  const heard = Promise.all([collectLog(held.stdout, log), collectLog(held.stderr, log)]);
  const ended = held.ended.then(async (end): Promise<WorkerEnd> => {
    await heard;
    return { code: end.code, signal: end.signal, limit: end.limit };
  });
  const shown = (): string => parts.shown(log.text);
  const why = await firstOf(held, signal);
  if (why !== 'listens') {
    await held.end(0);
    const { unstartable } = await held.ended;
    const words = unstartable ?? (why === 'ended' ? howItEnded(await ended) : WHY[why]);
    await heard;
    const said = parts.shown(log.last).trim();
    throw new WorkerProblem(`${words.replace('PORT', String(parts.port))}${said === '' ? '' : ` It said: ${said}`}`);
  }
  return {
    isolation: parts.isolation,
    socketPath: parts.socketPath,
    pid: held.pid,
    log: shown,
    mark: proxy.mark,
    trafficSince: proxy.since,
    ended,
    stop: (graceMs) => held.end(graceMs),
  };
}

type StartOutcome = 'listens' | 'ended' | 'late' | 'stopped';

async function firstOf(held: HeldProgram, signal: AbortSignal): Promise<StartOutcome> {
  const { promise, resolve } = Promise.withResolvers<StartOutcome>();
  const stopped = (): void => resolve('stopped');
  const timer = setTimeout(() => resolve('late'), LISTEN_LIMIT_MS);
  signal.addEventListener('abort', stopped);
  if (signal.aborted) stopped();
  void hasSpoken(held.side).then((listens) => listens && resolve('listens'));
  void held.ended.then(() => resolve('ended'));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stopped);
  }
}

/** Whether anything is: it has one word. */
async function hasSpoken(side: AsyncIterable<Uint8Array>): Promise<boolean> {
  for await (const word of side) if (word.length > 0) return true;
  return false;
}

const WHY = {
  late: `It did not listen on port PORT in ${LISTEN_LIMIT_MS / 1000} s.`,
  stopped: 'It was stopped before it listened on port PORT.',
} as const;

function howItEnded({ code, signal, limit }: WorkerEnd): string {
  if (limit !== null) return `It passed a limit (${limit}) before it listened on port PORT.`;
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
  return `It ended (${how}) before it listened on port PORT.`;
}

async function collectLog(stream: AsyncIterable<Uint8Array>, log: ErrorOutput): Promise<void> {
  for await (const bytes of stream) log.heard(bytes);
}
