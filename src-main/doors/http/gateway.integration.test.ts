import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Doors, openDoors } from '../doors.test-support.js';
import { verifyingOnce } from './read-routes.js';

const portOf = (doors: Doors): number => Number(new URL(doors.url).port);
const gatewayJson = (doors: Doors): string => join(doors.dataDir, 'gateway.json');

/** Everything the server says on a bare connection, until it closes it. */
function talk(doors: Doors, write: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(portOf(doors), '127.0.0.1', () => write(socket));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += String(chunk);
    });
    socket.once('close', () => resolve(text));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(text) : reject(error),
    );
  });
}

const connectQuietly = (doors: Doors): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(portOf(doors), '127.0.0.1', () => resolve(socket));
    socket.on('error', () => undefined);
  });

const json = async (response: Response): Promise<Record<string, unknown>> =>
  (await response.json()) as Record<string, unknown>;

async function makeCalls(doors: Doors, count: number): Promise<void> {
  const client = await doors.connect('caller');
  for (let at = 0; at < count; at += 1) await client.callTool({ name: 'read_file', arguments: { path: 'hello.txt' } });
}

describe('the gateway', () => {
  it('says where it is, to the person alone, and forgets it when it stops', async () => {
    const doors = await openDoors();
    const said = JSON.parse(readFileSync(gatewayJson(doors), 'utf8')) as Record<string, unknown>;
    expect(said).toEqual({ url: doors.url, token: doors.gateway.token, pid: process.pid, version: '9.9.9' });
    expect(statSync(gatewayJson(doors)).mode & 0o777).toBe(0o600);
    expect(doors.gateway.token.length).toBeGreaterThanOrEqual(43);
    await doors.gateway.stop();
    expect(existsSync(gatewayJson(doors))).toBe(false);
    expect(doors.gateway.url).toBeNull();
    await doors[Symbol.asyncDispose]();
  });

  it('keeps token and port over a restart, so that copied configuration stays good', async () => {
    await using doors = await openDoors();
    const { token } = doors.gateway;
    await doors.gateway.stop();
    await doors.gateway.start(0);
    expect(doors.gateway.url).toBe(doors.url);
    expect(doors.gateway.token).toBe(token);
  });

  it('takes another port when the last one is taken, but not when the person chose it', async () => {
    await using first = await openDoors();
    await using second = await openDoors();
    await second.gateway.stop();
    await expect(second.gateway.start(portOf(first))).rejects.toThrow(/another program uses it.*Choose another/s);
    expect(second.gateway.url).toBeNull();
  });

  it('answers the contract’s routes', async () => {
    await using doors = await openDoors();
    await makeCalls(doors, 3);
    expect(await json(await doors.get('/v1/status'))).toEqual({
      version: '9.9.9',
      workspace: doors.workspace,
      workspaces: [doors.workspace],
      mode: 'enabled',
      journal: 'ok',
      pending: 0,
      running: 0,
      recovering: false,
    });
    const page = await json(await doors.get('/v1/calls?limit=2'));
    expect(page['calls']).toHaveLength(2);
    expect((page['calls'] as object[])[0]).toEqual({
      callId: 'call-3',
      batchId: expect.any(String),
      tool: 'read_file',
      toolId: 'test.read_file',
      version: '1.0.0',
      state: 'COMPLETED',
      outcome: 'success',
      code: null,
      door: 'mcp',
      client: 'caller 1.2.3',
      agent: null,
      startedAt: expect.any(Number),
      durationMs: 1,
    });
    const rest = await json(await doors.get(`/v1/calls?limit=2&before=${String(page['next'])}`));
    expect(rest).toMatchObject({ calls: [{ callId: 'call-1' }], next: null });
    expect(await json(await doors.get('/v1/calls?tool=nothing'))).toEqual({ calls: [], next: null });
    expect(await json(await doors.get('/v1/calls/call-1'))).toMatchObject({
      callId: 'call-1',
      result: 'hello\n',
      originalArguments: null,
      reason: null,
      outputBytes: 6,
      outputBytesLeftOut: 0,
      confinement: null,
      changedFiles: [],
      events: [{ seq: 1, state: 'DECLARED', at: expect.any(Number), hash: '00' }],
    });
    expect(await json(await doors.get('/v1/approvals'))).toEqual({ approvals: [] });
    expect(await json(await doors.get('/v1/audit/verify'))).toMatchObject({ ok: true, events: 3 });
  });

  it.each(['0', '501', '-1', '1.5', 'many', '1e2', ' 5', '99999'])('refuses limit=%s', async (limit) => {
    await using doors = await openDoors();
    const response = await doors.get(`/v1/calls?limit=${encodeURIComponent(limit)}`);
    expect(response.status).toBe(400);
    expect(await json(response)).toEqual({
      error: { code: 'BadRequest', message: expect.stringContaining('1 to 500') },
    });
  });

  it('looks at the whole chain once at a time, however many ask', async () => {
    let verified = 0;
    let done: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (done = resolve));
    const reader = verifyingOnce(() => ({
      page: () => Promise.reject(new Error('not asked')),
      detail: () => Promise.resolve(null),
      verify: async () => {
        verified += 1;
        await waits;
        return { ok: true, events: 1, head: '00', signed: false } as never;
      },
    }));
    const asked = Array.from({ length: 50 }, () => reader().verify());
    done();
    expect(new Set(await Promise.all(asked)).size).toBe(1);
    expect(verified).toBe(1);
    await reader().verify();
    expect(verified).toBe(2);
  });

  it('knows what it does not have', async () => {
    await using doors = await openDoors();
    for (const path of [
      '/',
      '/v1',
      '/v1/calls/',
      '/v1/calls/unknown',
      '/v1/calls/%ff',
      '/v1/calls/a/b',
      '/mcp/x',
      '/V1/status',
    ])
      expect([path, (await doors.get(path)).status]).toEqual([path, 404]);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const response = await doors.get('/v1/status', { method });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'GET']);
    }
    for (const method of ['PUT', 'OPTIONS', 'PATCH', 'HEAD'])
      expect((await doors.get('/mcp', { method })).status).toBe(405);
  });

  it('lets nobody in without the token, on any path, and shows no origin a header of permission', async () => {
    await using doors = await openDoors();
    for (const path of ['/v1/status', '/v1/calls', '/v1/approvals', '/v1/audit/verify', '/mcp', '/nothing']) {
      const response = await fetch(`${doors.url}${path}`);
      expect([path, response.status]).toEqual([path, 401]);
      expect(await json(response)).toMatchObject({ error: { code: 'Unauthorized' } });
    }
    const foreign = await doors.get('/v1/status', { headers: { origin: 'http://evil.example' } });
    expect(foreign.status).toBe(403);
    expect([...foreign.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    const preflight = await doors.get('/mcp', { method: 'OPTIONS', headers: { origin: doors.url } });
    expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('does not answer to a rebound name', async () => {
    await using doors = await openDoors();
    const reply = await talk(doors, (socket) =>
      socket.end(
        `GET /v1/status HTTP/1.1\r\nHost: evil.example:${portOf(doors)}\r\nAuthorization: Bearer ${doors.gateway.token}\r\nConnection: close\r\n\r\n`,
      ),
    );
    expect(reply).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('serves on loopback only', async () => {
    await using doors = await openDoors();
    const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((table) => existsSync(table));
    const listening = tables.map((table) => readFileSync(table, 'utf8')).join('');
    const port = portOf(doors).toString(16).toUpperCase().padStart(4, '0');
    const addresses = [...listening.matchAll(new RegExp(`: ([0-9A-F]+):${port} \\S+ 0A`, 'g'))].map(
      (match) => match[1],
    );
    expect(addresses).toEqual(['0100007F']);
  });

  it('puts everybody out when the token changes', async () => {
    await using doors = await openDoors();
    const client = await doors.connect();
    const old = doors.gateway.token;
    const pending = client.callTool({ name: 'ask_first', arguments: {} }).catch(() => null);
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    doors.gateway.rotateToken();
    await doors.gate.when(() => doors.gate.settledCalls.length === 1);
    await pending;
    expect(doors.gateway.token).not.toBe(old);
    expect((await fetch(`${doors.url}/v1/status`, { headers: { authorization: `Bearer ${old}` } })).status).toBe(401);
    expect((await doors.get('/v1/status')).status).toBe(200);
    expect(readFileSync(gatewayJson(doors), 'utf8')).toContain(doors.gateway.token);
    expect(doors.mcp.clients()).toEqual([]);
  });

  it('takes bodies up to its limit and says so beyond, declared or not', async () => {
    await using doors = await openDoors({ limits: { bodyBytes: 10_000 } });
    const send = (body: string | ReadableStream, more: RequestInit & { duplex?: 'half' } = {}) =>
      doors.get('/mcp', { method: 'POST', headers: { 'content-type': 'application/json' }, body, ...more });
    expect((await send('x'.repeat(10_001))).status).toBe(413);
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(1000))),
    });
    const response = await send(endless, { duplex: 'half' }).catch((error: unknown) => error);
    // The answer may be overtaken by the end of the connection while the client still sends.
    expect(response instanceof Response ? response.status : 413).toBe(413);
    expect((await send('x'.repeat(10_000))).status).toBe(400);
    expect((await doors.get('/v1/status')).status).toBe(200);
  });

  it('reads no more than its limit of one line of 500 MB', async () => {
    await using doors = await openDoors();
    const before = process.memoryUsage().rss;
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const reply = await talk(doors, (socket) => {
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${doors.gateway.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      const pump = (): void => {
        while (sent < 500 * 1024 * 1024 && !socket.destroyed) {
          sent += chunk.length;
          socket.write(`${chunk.length.toString(16)}\r\n`);
          socket.write(chunk);
          if (!socket.write('\r\n')) {
            socket.once('drain', pump);
            return;
          }
        }
      };
      pump();
    });
    expect(reply.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 413']);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    expect((await doors.get('/v1/status')).status).toBe(200);
  });

  it('ends connections that send their headers or body too slowly, or nothing at all', async () => {
    await using doors = await openDoors({ limits: { headersMs: 200, bodyMs: 200 } });
    const auth = `Host: 127.0.0.1\r\nAuthorization: Bearer ${doors.gateway.token}\r\n`;
    const [silent, headers, body] = await Promise.all([
      talk(doors, () => undefined),
      talk(doors, (socket) => socket.write(`GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: `)),
      talk(doors, (socket) => socket.write(`POST /mcp HTTP/1.1\r\n${auth}Content-Length: 100\r\n\r\n{"jsonrpc"`)),
    ]);
    expect(silent).toMatch(/^(HTTP\/1\.1 408 |$)/);
    expect(headers).toMatch(/^HTTP\/1\.1 408 /);
    expect(body).toMatch(/^HTTP\/1\.1 408 /);
    expect((await doors.get('/v1/status')).status).toBe(200);
  });

  it('bounds connections; those that say nothing or are idle make room for those that ask', async () => {
    await using doors = await openDoors({ limits: { connections: 20 } });
    const held = await Promise.all(Array.from({ length: 20 }, () => connectQuietly(doors)));
    const ends = held.map((socket) => once(socket, 'close'));
    expect((await doors.get('/v1/status')).status).toBe(200);
    // One went for it, and no more than that.
    await Promise.race(ends);
    expect(held.filter(({ destroyed }) => destroyed)).toHaveLength(1);
    for (const socket of held) socket.destroy();
  });

  it('refuses one more where every connection is being answered', async () => {
    await using doors = await openDoors({ limits: { connections: 4 } });
    const client = await doors.connect();
    const waiting = [1, 2, 3].map(() => client.callTool({ name: 'ask_first', arguments: {} }));
    await doors.gate.when(() => doors.gate.waiting.size === 3);
    // Three calls and the stream of news.
    await expect.poll(() => doors.get('/v1/status').catch(() => null)).toBeNull();
    for (const call of doors.gate.waiting.values()) call.settle('done');
    await Promise.all(waiting);
    await expect
      .poll(() =>
        doors.get('/v1/status').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  it('answers what is not HTTP with one bounded error', async () => {
    await using doors = await openDoors();
    for (const noise of [
      '\u0000\u0001\u0002\r\n\r\n',
      'GET\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '{"jsonrpc":"2.0"}\r\n\r\n',
    ]) {
      const reply = await talk(doors, (socket) => socket.write(noise));
      expect(reply).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(reply.length).toBeLessThan(500);
    }
    const overflow = await talk(doors, (socket) =>
      socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
    );
    expect(overflow).toMatch(/^HTTP\/1\.1 431 /);
    const absolute = await talk(doors, (socket) =>
      socket.end(
        `GET http://evil.example/v1/status HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${doors.gateway.token}\r\nConnection: close\r\n\r\n`,
      ),
    );
    expect(absolute).toMatch(/^HTTP\/1\.1 400 /);
    expect((await doors.get('/v1/status')).status).toBe(200);
    expect(doors.reported).toEqual([]);
  });

  it.each([
    ['no Host', 403, 'ForeignHost', 'GET /v1/status HTTP/1.1', ''],
    ['no Host, as of old', 403, 'ForeignHost', 'GET /v1/status HTTP/1.0', ''],
    ['a method that nobody knows', 405, 'MethodNotAllowed', 'FOO /v1/status HTTP/1.1', 'host: localhost\r\n'],
    ['CONNECT', 405, 'MethodNotAllowed', 'CONNECT example.com:443 HTTP/1.1', 'host: localhost\r\n'],
    ['CONNECT by Host', 403, 'ForeignHost', 'CONNECT example.com:443 HTTP/1.1', 'host: example.com:443\r\n'],
    ['a body on a wrong path', 404, 'NotFound', 'POST /nope HTTP/1.1', 'host: localhost\r\ncontent-length: 0\r\n'],
  ])('says what is wrong in its own words: %s', async (_, status, code, line, headers) => {
    await using doors = await openDoors();
    const authorization = `authorization: Bearer ${doors.gateway.token}\r\nconnection: close\r\n`;
    const said = await talk(doors, (socket) => socket.write(`${line}\r\n${headers}${authorization}\r\n`));
    expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
    expect(JSON.parse(said.slice(said.indexOf('{')))).toEqual({ error: { code, message: expect.any(String) } });
  });

  it('answers whatever else is expected of it', async () => {
    await using doors = await openDoors();
    const head = `GET /v1/status HTTP/1.1\r\nhost: localhost\r\nexpect: more\r\nconnection: close\r\n`;
    const said = await talk(doors, (socket) =>
      socket.write(`${head}authorization: Bearer ${doors.gateway.token}\r\n\r\n`),
    );
    expect(said).toMatch(/^HTTP\/1\.1 200 /u);
  });

  it('answers others while one floods it with wrong tokens', async () => {
    await using doors = await openDoors();
    const flood = Array.from({ length: 500 }, () =>
      fetch(`${doors.url}/mcp`, { method: 'POST', headers: { authorization: 'Bearer wrong' }, body: '{}' }).then(
        ({ status }) => status,
      ),
    );
    const good = await Promise.all(
      Array.from({ length: 20 }, () => doors.get('/v1/status').then(({ status }) => status)),
    );
    expect(new Set(good)).toEqual(new Set([200]));
    expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
  });
});
