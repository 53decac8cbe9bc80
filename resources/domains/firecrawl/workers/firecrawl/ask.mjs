import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTls } from 'node:tls';

const LARGEST = 32 * 2 ** 20;

/**
 * Asks over HTTP, by the proxy of the environment: it is the only way out of a worker’s sandbox, and plain Node looks at none. Gives
 * status and text.
 */
export async function ask(method, address, headers, body, signal) {
  const url = new URL(address);
  const proxy = proxyFor(url);
  const text = body === null ? null : JSON.stringify(body);
  const options = {
    method,
    signal,
    headers: {
      accept: 'application/json',
      ...headers,
      ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    },
  };
  if (proxy === null) return answerOf((url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options), text);
  if (url.protocol === 'http:')
    return answerOf(
      httpRequest({
        ...options,
        host: proxy.hostname,
        port: proxy.port,
        path: url.href,
        headers: { ...options.headers, host: url.host },
      }),
      text,
    );
  const socket = await tunnel(proxy, url, signal);
  return answerOf(
    httpsRequest(url, {
      ...options,
      agent: false,
      createConnection: () => connectTls({ socket, servername: url.hostname }),
    }),
    text,
  );
}

function proxyFor({ protocol }) {
  const { env } = process;
  const named =
    protocol === 'https:' ? (env['HTTPS_PROXY'] ?? env['https_proxy']) : (env['HTTP_PROXY'] ?? env['http_proxy']);
  return named === undefined || named === '' ? null : new URL(named);
}

function tunnel(proxy, url, signal) {
  const place = `${url.hostname}:${url.port || 443}`;
  return new Promise((resolve, reject) => {
    httpRequest({
      host: proxy.hostname,
      port: proxy.port,
      method: 'CONNECT',
      path: place,
      headers: { host: place },
      signal,
    })
      .once('connect', ({ statusCode }, socket) =>
        statusCode === 200 ? resolve(socket) : reject(new Error(`the proxy answered with ${statusCode} for ${place}`)),
      )
      .once('error', reject)
      .end();
  });
}

function answerOf(asked, text) {
  return new Promise((resolve, reject) => {
    asked.once('error', reject);
    asked.once('response', (response) => {
      const parts = [];
      let length = 0;
      response.on('data', (part) => {
        length += part.length;
        if (length > LARGEST) response.destroy(new Error('its answer is too long'));
        else parts.push(part);
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
      );
    });
    asked.end(text ?? undefined);
  });
}
