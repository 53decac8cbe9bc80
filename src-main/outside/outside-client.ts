import { lookup } from 'node:dns';
import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Outside, OutsideProblem } from '../domain/ports/outside.js';
import { describeRequestError } from './request-errors.js';
import type { KeySources } from './resolve-key.js';
import { toOutsideAnswer } from './outside-answer.js';
import { readRequestAddress, createLookup, refuseLiteralHost, type OriginRecord } from './origin-lookup.js';
import { buildRequestHeaders } from './request-headers.js';

/** Timeouts in ms. A model on this computer may read for minutes before its first word. */
export interface OutsideTimes {
  readonly connect: number;
  readonly firstByte: number;
  /** The time between two pieces of an answer. */
  readonly stall: number;
}
const DEFAULT_TIMES: OutsideTimes = { connect: 20_000, firstByte: 300_000, stall: 120_000 };

/** Servers close idle connections after five seconds or more; one that is older than this is not used again. */
const IDLE_MS = 4_000;
const MAX_HEADER_BYTES = 32_768;

/**
 * The only HTTP client. Agents of its own: the environment's proxies are Node's global agent's, and NODE_TLS_REJECT_UNAUTHORIZED
 * can't switch the check of certificates off. It asks for plain bytes, so nothing grows as it is unpacked.
 */
export function createOutside(
  keys: KeySources,
  times: OutsideTimes = DEFAULT_TIMES,
  connections: 'kept' | 'one-a-request' = 'kept',
  resolveName: typeof lookup = lookup,
  led?: OriginRecord,
): Outside & { close(): void } {
  // What is answered twice on a connection of its own is answered to nobody else.
  const kept = connections === 'kept' ? { keepAlive: true, timeout: IDLE_MS } : { keepAlive: false };
  const agents = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent({ ...kept, rejectUnauthorized: true }) };
  return {
    send: async (request, signal) => {
      const address = readRequestAddress(request);
      const headers = buildRequestHeaders(request, address, keys);
      refuseLiteralHost(address, request.chosenBy);
      const url = new URL(request.url);
      const isSecure = url.protocol === 'https:';
      const send = isSecure ? httpsRequest : httpRequest;
      const agent = agents[url.protocol as keyof typeof agents];
      return new Promise((resolve, reject) => {
        const asked = send(url, {
          method: request.method,
          headers,
          agent,
          maxHeaderSize: MAX_HEADER_BYTES,
          lookup: createLookup(address, request.chosenBy, resolveName, led),
          ...(request.socketPath === undefined ? {} : { socketPath: request.socketPath }),
        });
        const where = address.url.host;
        let mayHaveArrived = false;
        let answered = false;
        asked.once('socket', (socket) => {
          if (socket.connecting) socket.once(connectEventName(isSecure), () => (mayHaveArrived = true));
          else mayHaveArrived = true;
        });
        limitTimes(asked, where, { times, isSecure, isEndless: request.endless === true });
        destroyOnAbort(signal, asked);
        asked.on('error', (error) => reject(describeRequestError(error, where, signal, 'unreachable', mayHaveArrived)));
        // A server that wants to speak another protocol (101) closes without an answer and without an error.
        asked.once('close', () => {
          if (!answered) reject(new OutsideProblem('unreachable', `${where} ended without an answer.`, mayHaveArrived));
        });
        asked.once('response', (response) => {
          answered = true;
          try {
            resolve(toOutsideAnswer(response, where, request, signal));
          } catch (error) {
            asked.destroy();
            reject(error);
          }
        });
        asked.end(request.body ?? undefined);
      });
    },
    close: () => Object.values(agents).forEach((agent) => agent.destroy()),
  };
}

/**
 * Ends the request when the signal aborts, without an error: nobody listens for errors of a connection that is done
 * with.
 */
function destroyOnAbort(signal: AbortSignal, asked: ClientRequest): void {
  const end = (): void => void asked.destroy();
  if (signal.aborted) return end();
  signal.addEventListener('abort', end, { once: true });
  asked.once('close', () => signal.removeEventListener('abort', end));
}

/** The event that tells that the socket is connected: before it nothing of a request is sent. */
const connectEventName = (isSecure: boolean) => (isSecure ? 'secureConnect' : 'connect');

interface RequestTimeLimits {
  readonly times: OutsideTimes;
  readonly isSecure: boolean;
  readonly isEndless: boolean;
}

function limitTimes(asked: ClientRequest, where: string, { times, isSecure, isEndless }: RequestTimeLimits): void {
  let answering: IncomingMessage | null = null;
  const late = (kind: 'unreachable' | 'no-answer' | 'stalled', ms: number, words: string) =>
    setTimeout(() => {
      const problem = new OutsideProblem(kind, `${where} ${words} ${ms / 1000} s.`, kind !== 'unreachable');
      (answering ?? asked).destroy(problem);
    }, ms);
  let timer = late('unreachable', times.connect, 'could not be reached within');
  const next = (timed: NodeJS.Timeout): void => {
    clearTimeout(timer);
    timer = timed;
  };
  const connected = (): void => next(late('no-answer', times.firstByte, 'did not begin to answer within'));
  asked.once('socket', (socket) => {
    if (socket.connecting) socket.once(connectEventName(isSecure), connected);
    else connected();
  });
  asked.once('response', (response) => {
    answering = response;
    response.on('error', () => undefined);
    if (isEndless) clearTimeout(timer);
    else {
      next(late('stalled', times.stall, 'sent nothing more for'));
      response.on('data', () => timer.refresh());
    }
    response.pause();
  });
  asked.once('close', () => clearTimeout(timer));
}
