import { Agent, type IncomingMessage, request } from 'node:http';
import type { GatewayAddress } from '../../platform/gateway-file.js';

/** The running app, over its gateway. One request at a time or many: connections are kept and shared. */
export class Upstream {
  readonly address: GatewayAddress;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  readonly #bridge: string;

  constructor(address: GatewayAddress, bridge: string) {
    this.address = address;
    this.#bridge = bridge;
  }

  /** Resolves with the head of the answer; rejects when there is none. */
  send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | null,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(path, this.address.url),
        {
          method,
          agent: this.#agent,
          headers: {
            authorization: `Bearer ${this.address.token}`,
            'x-gatehouse-bridge': this.#bridge,
            accept: method === 'GET' && path === '/mcp' ? 'text/event-stream' : 'application/json, text/event-stream',
            ...(body === null
              ? {}
              : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
            ...headers,
          },
          ...(signal === undefined ? {} : { signal }),
        },
        resolve,
      );
      outgoing.once('error', reject);
      outgoing.end(body ?? undefined);
    });
  }

  /** Whether it serves, and lets us in. */
  async isThere(): Promise<boolean> {
    try {
      const answer = await this.send('GET', '/v1/status', {}, null, AbortSignal.timeout(3000));
      answer.resume();
      return answer.statusCode === 200;
    } catch {
      return false;
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Nothing of the request reached the app, so that asking again can't make anything happen twice. */
export function neverArrived(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ECONNREFUSED' || code === 'ENOENT';
}
