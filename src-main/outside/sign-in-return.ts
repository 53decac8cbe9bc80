import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OpenSignInReturn } from '../domain/ports/sources/sign-in.js';

export interface SignInReturnTimes {
  readonly waitMs: number;
}
const DEFAULT_TIMES: SignInReturnTimes = { waitMs: 10 * 60_000 };
const MAX_HEADER_BYTES = 16_384;
/** So many times somebody may come without the state before this is taken for guessing. */
const MAX_WRONG_STATES = 32;

/**
 * Listens on this computer for the browser to come back from signing in: on a port and a path of its own, for one answer that has the state.
 * Whoever comes without it (another tab, another page) learns nothing, and ends nothing.
 */
export const createSignInReturn =
  ({ waitMs }: SignInReturnTimes = DEFAULT_TIMES): OpenSignInReturn =>
  async (state) => {
    const { promise: came, resolve, reject } = Promise.withResolvers<URLSearchParams>();
    came.catch(() => undefined);
    const path = `/signed-in/${randomBytes(12).toString('base64url')}`;
    let host = '';
    let wrong = 0;
    let isOver = false;
    const end = (words: string): void => {
      close();
      reject(new Error(words));
    };
    const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 10_000, headersTimeout: 10_000 });
    server.maxConnections = 16;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const given = request.headers.host === host ? readReturnParams(request, path) : null;
      if (isOver || given === null || !hasState(given, state)) {
        respond(response, 404, 'Nothing is waiting for this page.');
        if (!isOver && (wrong += 1) > MAX_WRONG_STATES)
          end('Somebody else came back from signing in, again and again. Sign in once more.');
        return;
      }
      isOver = true;
      respond(response, 200, 'Go back to Gatehouse: it goes on there. You can close this page.');
      response.once('close', close);
      resolve(given);
    });
    await new Promise<void>((listening, failed) => {
      server.once('error', failed);
      server.listen(0, '127.0.0.1', listening);
    });
    const timer = setTimeout(() => end('Nobody came back from the browser in time. Sign in once more.'), waitMs);
    const close = (): void => {
      isOver = true;
      clearTimeout(timer);
      server.close();
      server.closeAllConnections();
    };
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    return {
      address: `http://${host}${path}`,
      received: came,
      close: () => end('Signing in was stopped.'),
    };
  };

/** Null where it is another page, or a way to ask that no browser uses after signing in. */
function readReturnParams({ method, url = '' }: IncomingMessage, path: string): URLSearchParams | null {
  const [asked, query] = url.split('?', 2);
  return method === 'GET' && asked === path && query !== undefined ? new URLSearchParams(query) : null;
}

/** Said once, and it is ours. */
function hasState(given: URLSearchParams, state: string): boolean {
  const [said, ...more] = given.getAll('state');
  return said !== undefined && more.length === 0 && timingSafeEqual(sha256(said), sha256(state));
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Answers the browser. The page shows nothing of what came: it is the same for everybody. */
function respond(response: ServerResponse, status: number, words: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(`<!doctype html><html lang="en"><title>Gatehouse</title><p>${words}</p></html>\n`);
}
