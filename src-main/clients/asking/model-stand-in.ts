import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '#contract/vocabulary/json.js';
import { findToolNames } from './tool-names.js';

export interface ModelStandIn {
  readonly url: string;
  /** The tools of the first request that offers any. */
  readonly named: Promise<readonly string[]>;
  close(): void;
}

const MAX_REQUEST_BYTES = 32 * 1024 * 1024;

/**
 * Stands in for a client's model, on loopback, for as long as one question takes: it reads the names of tools, keeps
 * nothing else, and answers that it is not there.
 */
export async function openModelStandIn(): Promise<ModelStandIn> {
  const { promise: named, resolve } = Promise.withResolvers<readonly string[]>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= MAX_REQUEST_BYTES) pieces.push(piece);
    });
    request.on('error', () => undefined);
    request.on('end', () => {
      const names = bytes > MAX_REQUEST_BYTES ? null : parseToolNames(Buffer.concat(pieces));
      if (names !== null) resolve(names);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error":{"type":"invalid_request_error","message":"Gatehouse asked which tools you have."}}');
    });
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed);
    server.listen(0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    named,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function parseToolNames(body: Buffer): readonly string[] | null {
  try {
    return findToolNames(JSON.parse(body.toString('utf8')) as Json);
  } catch {
    return null;
  }
}
