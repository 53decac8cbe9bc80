import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isHostAllowed } from '../../domain/policy/allowed-hosts.js';
import type { NetworkUse } from '#contract/vocabulary/calls.js';
import { endUnlessConnected, NoAnswer } from './connecting.js';
import { forwardRequest, MAX_HEADER_BYTES, UnusableRequest } from './forward.js';
import { answerInOrder } from './answer-in-order.js';
import type { Reach } from './reach.js';
import { isElsewhere, lookupAllowed, RefusedAddress } from '../../platform/addresses/reachable-addresses.js';
import { forSocket, type ProxyTarget, parseAuthorityTarget, parseUrlTarget } from './target.js';
import { createTraffic } from './traffic.js';

/**
 * An HTTP proxy on a private socket, for one command or worker: the only way out of its confinement. It looks names up itself, goes
 * on only to hosts of the list, or to any that are not this machine or next to it, and notes what was asked. What goes
 * through a tunnel (mostly TLS) is not looked at.
 */
export interface FilteringProxy extends AsyncDisposable {
  readonly use: NetworkUse;
  readonly mark: () => number;
  /** The use since a mark; a tunnel that stays open counts where something was said through it since. */
  readonly since: (mark: number) => NetworkUse;
}

export interface ProxyOptions {
  readonly socketPath: string;
  readonly reach: Reach;
  readonly words?: ProxyWords;
}

/** The advice for who is refused. */
export interface ProxyWords {
  readonly notListed: string;
  readonly nextToIt: string;
}

const COMMAND_WORDS: ProxyWords = {
  notListed: 'is not among the hosts that this command may reach. Ask for that host.',
  nextToIt: 'If that is meant, add the address to tools.run_command.allowed_hosts.',
};

const MAX_CONNECTIONS = 256;

export async function openFilteringProxy({
  socketPath,
  reach,
  words = COMMAND_WORDS,
}: ProxyOptions): Promise<FilteringProxy> {
  const { hosts } = reach;
  const traffic = createTraffic();
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 16 });
  const open = new Set<Duplex>();
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', keep);
  server.on('request', answerInOrder(onRequest));
  server.on('connect', onConnect);

  function keep(socket: Duplex): void {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  }

  /** Null where it may be tried: a name is checked again by where it leads. */
  function refusalOf(target: ProxyTarget): ProxyRefusal | null {
    const { host, port } = target;
    if (isHostAllowed(hosts, host, port)) return null;
    const address = forSocket(target).host;
    if (reach.anyHost && (isIP(address) === 0 || isElsewhere(address, port))) return null;
    traffic.refused(host, port);
    return reach.anyHost ? nextToIt(words, `${host}:${port} is this machine or next to it`) : notListed(words, target);
  }

  function explain({ host, port }: ProxyTarget, error: Error): ProxyRefusal {
    if (!(error instanceof RefusedAddress)) return unreached(host, port, error);
    traffic.refused(host, port);
    return nextToIt(words, error.message);
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const target = parseUrlTarget(request.url ?? '');
    const refusal = target === null ? NO_URL : refusalOf(target);
    if (target === null || refusal !== null) answer(response, refusal ?? NO_URL);
    else {
      forwardRequest(request, response, {
        target,
        agent,
        lookup: lookupAllowed(hosts, target.port),
        reached: () => traffic.reached(target.host, target.port),
        failed: (error) => answer(response, explain(target, error)),
      });
    }
  }

  function onConnect(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const target = parseAuthorityTarget(request.url ?? '');
    const refusal = target === null ? NO_AUTHORITY : refusalOf(target);
    if (target === null || refusal !== null) refuseTunnel(client, refusal ?? NO_AUTHORITY);
    else openTunnel(target, client, head);
  }

  function openTunnel(target: ProxyTarget, client: Duplex, head: Buffer): void {
    const upstream = connect({
      ...forSocket(target),
      lookup: lookupAllowed(hosts, target.port),
      allowHalfOpen: true,
      autoSelectFamily: true,
      noDelay: true,
    });
    keep(upstream);
    endUnlessConnected(upstream);
    client.on('error', () => upstream.destroy());
    client.once('close', () => upstream.destroy());
    const onFailure = (error: Error): void => refuseTunnel(client, explain(target, error));
    upstream.once('error', onFailure);
    upstream.once('connect', () => {
      upstream.off('error', onFailure);
      traffic.reached(target.host, target.port);
      client.on('data', () => traffic.reached(target.host, target.port));
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      join(client, upstream, head);
    });
  }

  await new Promise<void>((resolve, reject) => {
    // Later ones, such as a machine without descriptors for one more connection, are the client’s to notice.
    server.on('error', reject);
    server.listen(socketPath, resolve);
  });
  return {
    get use() {
      return traffic.use;
    },
    mark: () => traffic.mark(),
    since: (mark) => traffic.since(mark),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Both ways until both are at their end; when one breaks, so does the other. */
function join(client: Duplex, upstream: Socket, head: Buffer): void {
  if (head.length > 0) upstream.write(head);
  upstream.once('error', () => client.destroy());
  upstream.once('close', () => {
    if (!upstream.readableEnded) client.destroy();
  });
  client.pipe(upstream);
  upstream.pipe(client);
}

interface ProxyRefusal {
  readonly status: 400 | 403 | 502 | 504;
  readonly words: string;
}

const NO_URL: ProxyRefusal = {
  status: 400,
  words: 'A proxy takes requests for “http://host/path”, and CONNECT for the rest.',
};
const NO_AUTHORITY: ProxyRefusal = { status: 400, words: 'CONNECT takes a host and a port, such as example.com:443.' };

const nextToIt = (words: ProxyWords, what: string): ProxyRefusal => ({
  status: 403,
  words: `${what}. ${words.nextToIt}`,
});

const notListed = (words: ProxyWords, { host, port }: ProxyTarget): ProxyRefusal => ({
  status: 403,
  words: `${host}:${port} ${words.notListed}`,
});

const unreached = (host: string, port: number, error: Error): ProxyRefusal => ({
  status: error instanceof NoAnswer ? 504 : error instanceof UnusableRequest ? 400 : 502,
  words: `${host}:${port} could not be reached: ${error.message}.`,
});

function answer(response: ServerResponse, { status, words }: ProxyRefusal): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`Gatehouse: ${words}\n`);
}

const REASONS = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway', 504: 'Gateway Timeout' } as const;

function refuseTunnel(client: Duplex, { status, words }: ProxyRefusal): void {
  const body = `Gatehouse: ${words}\n`;
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  client.on('error', () => undefined);
  client.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
