import type { ServerResponse } from 'node:http';

type Headers = Readonly<Record<string, string>>;

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Headers = {}): void {
  if (writeJson(response, status, body, headers)) response.end();
}

export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Headers = {},
): void {
  sendJson(response, status, { error: { code, message } }, headers);
}

/** Whole for the client, and not ended: the end of an answer that closes the connection takes the socket with it. */
export function writeError(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Headers,
): void {
  writeJson(response, status, { error: { code, message } }, headers);
}

function writeJson(response: ServerResponse, status: number, body: unknown, headers: Headers): boolean {
  if (response.headersSent || response.destroyed) return false;
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.write(bytes);
  return true;
}
