import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { runChild } from '../platform/run-child.test-support.js';
import { createServer as createTlsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OutsideProblem, type OutsideRequest } from '../domain/ports/outside.js';
import { OTHER_CERT, OTHER_KEY, SELF_CERT, SELF_KEY } from './self-signed.test-support.js';
import { QUICK, serve, never, keyed, get, client, problemOf } from './outside-client.test-support.js';

/** Bytes as they are, for what no HTTP server says. */
async function serveBytes(speak: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([301, 302, 303, 307, 308])('A redirect by %i is an error, and nobody else is asked', async (status) => {
  const other = await serve((_request, response) => response.end('stolen'));
  const server = await serve((_request, response) => response.writeHead(status, { location: `${other.url}/x` }).end());
  const [kind, message] = await problemOf(get(server.url, { keys: [keyed(server.url)] }));
  expect([kind, message]).toEqual(['redirect', expect.stringContaining(new URL(other.url).host)]);
  expect([server.seen.length, other.seen.length]).toEqual([1, 0]);
});

test('The environment’s proxies are not asked, by an app that began with them either', async () => {
  const proxy = await serve((_request, response) => response.end('through the proxy'));
  const server = await serve((_request, response) => response.end('direct'));
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'])
    vi.stubEnv(name, proxy.url);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('no_proxy', '');
  const name = `outside-child-${randomUUID()}.mjs`;
  onTestFinished(() => rmSync(join('artifacts', name), { force: true }));
  await build({
    logLevel: 'error',
    configFile: false,
    build: {
      outDir: 'artifacts',
      emptyOutDir: false,
      target: 'node24',
      minify: false,
      ssr: 'src-main/outside/outside-child.test-support.ts',
      rollupOptions: { output: { entryFileNames: name } },
    },
  });
  expect((await runChild(join('artifacts', name), [server.url])).lines).toEqual(['direct']);
  expect(proxy.seen).toEqual([]);
});

test('A certificate is looked at, whatever the environment says', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const server = createTlsServer({ key: SELF_KEY, cert: SELF_CERT }, (_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [kind, message] = await problemOf(get(url, { keys: [keyed(url)] }));
  expect([kind, message]).toEqual(['unreachable', expect.stringContaining('certificate')]);
});

test('What is too long, packed, or no HTTP is an error in words', async () => {
  const long = await serve((_request, response) => response.end('x'.repeat(2_000_000)));
  expect((await problemOf(get(long.url)))[0]).toBe('too-large');
  const packed = await serve((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'));
  expect((await problemOf(get(packed.url)))[0]).toBe('not-understood');
  expect(packed.seen[0]?.headers['accept-encoding']).toBe('identity');
  const headers = await serveBytes((socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`));
  expect(await problemOf(get(headers))).toEqual(['unreachable', expect.stringContaining('headers are too long')]);
  const noise = await serveBytes((socket) => socket.write('SSH-2.0-OpenSSH_9\r\n\r\n'));
  expect((await problemOf(get(noise)))[0]).toBe('unreachable');
  const other = await serveBytes((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n'),
  );
  expect(await problemOf(get(other))).toEqual(['unreachable', expect.stringContaining('without an answer')]);
  const lies = await serveBytes((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
  expect((await problemOf(get(lies)))[0]).toBe('broke-off');
  const unended = await serveBytes((socket) =>
    socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'),
  );
  expect((await problemOf(get(unended)))[0]).toBe('broke-off');
});

test('Every method goes out as it is asked, with the bytes and headers that it has', async () => {
  const bodies: string[] = [];
  const server = await serve((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString('hex')));
    request.on('end', () => {
      bodies.push(`${request.method} ${body} ${request.headers['content-length'] ?? '-'}`);
      response.writeHead(200, [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-page', '7'],
      ]);
      response.end('ok');
    });
  });
  const outside = client();
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const) {
    const body = method === 'GET' || method === 'HEAD' ? null : new Uint8Array([0, 255]);
    const answer = await outside.send(get(server.url, { method, body }), never);
    expect([answer.status, await answer.text(10)]).toEqual([200, method === 'HEAD' ? '' : 'ok']);
    expect(answer.headers.filter(([name]) => name === 'set-cookie' || name === 'x-page')).toEqual([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
      ['x-page', '7'],
    ]);
  }
  expect(bodies).toEqual([
    'GET  -',
    'POST 00ff 2',
    'PUT 00ff 2',
    'PATCH 00ff 2',
    'DELETE 00ff 2',
    'HEAD  -',
    'OPTIONS 00ff 2',
  ]);
});

test.each([
  ['x-a', 'one\r\nx-evil: 1'],
  ['x-a', 'one\n two'],
  ['x-a', 'snow \u2603'],
  ['x a', 'one'],
  ['x-a\r\nx-evil', '1'],
  ['', '1'],
])('The header %j: %j is not sent', async (name, value) => {
  const server = await serve((_request, response) => response.end('ok'));
  expect((await problemOf(get(server.url, { headers: { [name]: value } })))[0]).toBe('unsendable');
  expect(server.seen).toEqual([]);
});

test('An address next to this computer is nobody’s; what a document names is not this computer either', async () => {
  for (const url of [
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
  ])
    expect(await problemOf(get(url))).toEqual(['address', expect.stringContaining('nothing was sent')]);
  const server = await serve((_request, response) => response.end('ok'));
  const { port } = new URL(server.url);
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])
    expect((await problemOf(get(`http://${host}:${port}/`, { chosenBy: 'document' })))[0]).toBe('address');
  expect((await problemOf(get(`http://localhost:${port}/`)))[0]).toBe('none');
  expect(server.seen.length).toBe(1);
});

test('It is known whether a request may have been taken', async () => {
  const arrived = async (url: string, more: Partial<OutsideRequest> = {}): Promise<boolean> => {
    const problem: unknown = await client({ ...QUICK, firstByte: 50 })
      .send(get(url, { method: 'POST', body: 'x', ...more }), never)
      .catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(OutsideProblem);
    return (problem as OutsideProblem).mayHaveArrived;
  };
  const mute = await serve(() => undefined);
  const hangsUp = await serveBytes((socket) => socket.destroy());
  const sendsOn = await serve((_request, response) =>
    response.writeHead(307, { location: 'https://x.example/' }).end(),
  );
  const tls = createTlsServer({ key: SELF_KEY, cert: SELF_CERT }, (_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => tls.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void tls.close());
  expect(await arrived('http://127.0.0.1:1')).toBe(false);
  expect(await arrived(`https://127.0.0.1:${(tls.address() as AddressInfo).port}`)).toBe(false);
  expect(await arrived(mute.url, { keys: [keyed('https://x.example')] })).toBe(false);
  expect(await arrived(mute.url)).toBe(true);
  expect(await arrived(hangsUp)).toBe(true);
  expect(await arrived(sendsOn.url)).toBe(true);
});

test('A certificate that changes to one that nobody trusts ends the next request', async () => {
  const standing = getCACertificates('default');
  setDefaultCACertificates([...standing, SELF_CERT]);
  onTestFinished(() => setDefaultCACertificates(standing));
  const start = async (key: string, cert: string, at: number): Promise<number> => {
    const server = createTlsServer({ key, cert }, (_request, response) =>
      response.setHeader('connection', 'close').end('ok'),
    );
    await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  const servers: { close(done: () => void): void }[] = [];
  const port = await start(SELF_KEY, SELF_CERT, 0);
  const outside = client();
  const url = `https://127.0.0.1:${port}`;
  expect(await (await outside.send(get(url), never)).text(10)).toBe('ok');
  await new Promise<void>((resolve) => servers[0]?.close(resolve));
  await start(OTHER_KEY, OTHER_CERT, port);
  await expect(outside.send(get(url), never)).rejects.toThrow('certificate is signed by itself');
});

test('That nothing changed (304) is an answer', async () => {
  const server = await serve((_request, response) => response.writeHead(304).end());
  const answer = await client().send(get(server.url), never);
  expect([answer.status, await answer.text(10)]).toEqual([304, '']);
});
