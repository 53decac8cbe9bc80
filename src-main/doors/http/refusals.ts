import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HttpRefusal } from './guard.js';
import { sendError, writeError } from './replies.js';

const LINGER_MS = 2000;

/** The rest of a refused request is not worth reading; one without a body may keep its connection. */
export function refuseAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  if (request.complete || isBodiless(request)) return sendError(response, status, code, message, headers);
  writeError(response, status, code, message, { ...headers, connection: 'close' });
  // Closing on unread bytes would reset the connection before the client has read why. So they are thrown away, for a while.
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('end', () => response.end());
  request.once('close', () => clearTimeout(timer));
  request.resume();
}

function isBodiless(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] === undefined && (request.headers['content-length'] ?? '0') === '0';
}

export const NO_SUCH_METHOD: HttpRefusal = {
  status: 405,
  code: 'MethodNotAllowed',
  message: 'There is no such method here.',
};
const NOT_HTTP: HttpRefusal = { status: 400, code: 'BadRequest', message: 'This is not HTTP.' };

const CLIENT_ERRORS: Readonly<Record<string, HttpRefusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'RequestTimeout',
    message: 'The request was not in within the time allowed.',
  },
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'RequestHeaderFieldsTooLarge',
    message: 'The headers are over 16 KiB.',
  },
};

/** A whole first line of a request, of a method that Node's parser does not know. */
const REQUEST_LINE = /^[A-Za-z-]{1,40} \/\S* HTTP\/1\.[01]\r?\n/u;

function refusalOf({ code = '', rawPacket }: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }): HttpRefusal {
  if (code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(rawPacket?.toString('latin1') ?? '')) return NO_SUCH_METHOD;
  return CLIENT_ERRORS[code] ?? NOT_HTTP;
}

/** Answers what Node could not read as a request. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!('destroySoon' in socket) || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, code, message } = refusalOf(error);
  sayAndEnd(socket, status, code, message);
}

/** Answers on a bare connection, where there is no request to answer, and closes it. */
export function sayAndEnd(socket: Duplex, status: number, code: string, message: string): void {
  const body = JSON.stringify({ error: { code, message } });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  socket.on('error', () => socket.destroy());
  // An end that the other side never takes must not hold the socket.
  if ('destroySoon' in socket && typeof socket.destroySoon === 'function') socket.destroySoon();
}
