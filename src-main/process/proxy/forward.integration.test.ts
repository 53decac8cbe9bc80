import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseAllowedHost } from '../../domain/policy/allowed-hosts.js';
import { type FilteringProxy, openFilteringProxy } from './filtering-proxy.js';

/** Servers and clients that say what no library would: byte by byte. Anything that is thrown meanwhile fails the test. */
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-forward-'));
const path = join(folder, 'proxy');
let server: Server;
let proxy: FilteringProxy;
let port = 0;
let handle: (socket: Socket) => void = () => undefined;
const connections: Socket[] = [];

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    connections.push(socket);
    handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
// One for each: it keeps connections for later requests, and a server here says one thing to each connection.
beforeEach(async () => {
  const read = parseAllowedHost('127.0.0.1');
  proxy = await openFilteringProxy({
    socketPath: path,
    reach: { anyHost: false, hosts: read.ok ? [read.allowed] : [] },
  });
});
afterEach(() => proxy[Symbol.asyncDispose]());

/** The server says this to whoever asks, and then ends the connection if it is to. */
function says(words: string, andThen: 'stays' | 'ends' | 'breaks' = 'stays'): void {
  handle = (socket) =>
    socket.once('data', () => {
      socket.write(words, 'latin1', () => {
        if (andThen === 'ends') socket.end();
        // As a crash does it: without a word.
        else if (andThen === 'breaks') socket.resetAndDestroy();
      });
    });
}

/** Sends the words and collects all that comes back until the connection is at its end. */
async function ask(words: string): Promise<string> {
  const socket = connect(path);
  socket.write(words.replaceAll('$URL', `http://127.0.0.1:${port}`));
  return text(socket);
}

const GET = 'GET $URL/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\nX-After: all\r\n\r\n';

describe('what a server may answer', () => {
  it.each([
    [
      'a control character in its reason',
      'HTTP/1.1 200 O\u{1}K\r\nContent-Length: 2\r\n\r\nok',
      /^HTTP\/1\.1 (?:200 OK|502 )/u,
    ],
    [
      'a status below all',
      'HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\nok',
      /^HTTP\/1\.1 502 Bad Gateway[\s\S]*passed on/u,
    ],
    ['a status above all', 'HTTP/1.1 9999 OK\r\n\r\n', /^HTTP\/1\.1 502 /u],
    [
      'a status that nobody knows',
      'HTTP/1.1 299 Whatever\r\nContent-Length: 2\r\n\r\nok',
      /^HTTP\/1\.1 299 unknown[\s\S]*ok$/u,
    ],
    [
      'a control character in a value',
      'HTTP/1.1 200 OK\r\nX: a\u{1}b\r\nContent-Length: 0\r\n\r\n',
      /^HTTP\/1\.1 (?:200|502) /u,
    ],
    ['letters of Latin-1 in a value', 'HTTP/1.1 200 OK\r\nX: é\r\nContent-Length: 0\r\n\r\n', /^HTTP\/1\.1 200 OK/u],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      /^HTTP\/1\.1 502 /u,
    ],
    [
      'a word ahead',
      'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      /^HTTP\/1\.1 200 OK[\s\S]*ok$/u,
    ],
    [
      'an unknown coding',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 502 [\s\S]*gzip, chunked/u,
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok', /^HTTP\/1\.1 502 /u],
    ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 502 /u],
  ])('%s', async (_, answer, expected) => {
    says(answer);
    expect(await ask(GET)).toMatch(expected);
  });

  it('headers without end', async () => {
    handle = (socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const go = (): boolean => socket.destroyed || (socket.write(`X: ${'x'.repeat(8000)}\r\n`) && go());
        socket.on('drain', go);
        go();
      });
    expect(await ask(GET)).toMatch(/^HTTP\/1\.1 502 /u);
  });

  it('nothing, and goes', async () => {
    handle = (socket) => socket.once('data', () => socket.end());
    expect(await ask(GET)).toMatch(/^HTTP\/1\.1 502 /u);
  });

  it.each([204, 304])('%i, with a body that it may not have', async (status) => {
    says(`HTTP/1.1 ${status} x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n`);
    const answer = await ask(GET);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
    expect(answer.split('\r\n\r\n')[1]).toBe('');
  });

  it('a body to who asked for the head alone', async () => {
    says('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody');
    const answer = await ask(GET.replace('GET', 'HEAD'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Content-Length: 4\r\n[\s\S]*\r\n\r\n$/u);
  });
});

describe('the body is marked off as the client understands it', () => {
  it('in chunks', async () => {
    says(CHUNKED);
    expect((await ask(GET)).split('\r\n\r\n').slice(1).join('\r\n\r\n')).toBe('3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n');
  });

  it.each([
    ['chunks', CHUNKED, ''],
    ['its own end', 'HTTP/1.0 200 OK\r\n\r\nonetwo', ''],
    ['chunks, which the client says it knows', CHUNKED, 'TE: chunked\r\n'],
  ])('by the end of the connection for HTTP/1.0, also when the server marks it by %s', async (_, answer, header) => {
    says(answer, 'ends');
    const [head, ...body] = (await ask(`GET $URL/ HTTP/1.0\r\n${header}\r\n`)).split('\r\n\r\n');
    expect(head).not.toMatch(/transfer-encoding/iu);
    expect(body).toEqual(['onetwo']);
  });

  it.each([
    ['ends', 'in the middle of a chunk', 'Transfer-Encoding: chunked\r\n\r\n5\r\non'],
    ['breaks', 'between chunks', 'Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n'],
    ['ends', 'before its length', 'Content-Length: 10\r\n\r\none'],
  ] as const)('a server that %s %s leaves a body that is broken here too', async (how, _, rest) => {
    says(`HTTP/1.1 200 OK\r\n${rest}`, how);
    const answer = await ask(GET).catch(String);
    expect(answer).not.toContain('0\r\n\r\n');
    expect(answer).not.toContain('502');
  });
});

describe('what a client may do', () => {
  it.each([['a\tb'], ['a\u{c}b'], ['é']])('ask for /%s', async (place) => {
    says('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
    expect(await ask(GET.replace('$URL/', `$URL/${place}`))).toMatch(/^HTTP\/1\.1 (?:200|400) /u);
  });

  it('go away in the middle of what it sends: the server sees it break off', async () => {
    let got = '';
    const reached = Promise.withResolvers<Socket>();
    handle = (socket) =>
      socket.on('data', (bytes) => {
        got += bytes.toString();
        if (got.includes('part')) reached.resolve(socket);
      });
    const client = connect(path);
    client.write(
      `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n`,
    );
    const upstream = await reached.promise;
    client.destroy();
    if (!upstream.closed) await once(upstream, 'close');
    expect(got).not.toContain('0\r\n\r\n');
  });

  it('ask ahead: it is answered in order, one at a time', async () => {
    let [atOnce, most] = [0, 0];
    handle = (socket) =>
      socket.on('data', (bytes) => {
        most = Math.max(most, (atOnce += 1));
        const place = /^GET (\S+)/u.exec(bytes.toString())?.[1] ?? '';
        setImmediate(() => {
          atOnce -= 1;
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${place.length}\r\n\r\n${place}`);
        });
      });
    const last = GET.replace('$URL/', '$URL/last');
    const ahead = Array.from({ length: 20 }, (_, index) => `GET $URL/${index} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const answer = await ask(`${ahead.join('')}${last}`);
    expect([...answer.matchAll(/\r\n\r\n\/(\d+|last)/gu)].map(([, place]) => place)).toEqual([
      ...ahead.map((_, index) => String(index)),
      'last',
    ]);
    expect(most).toBe(1);
  });

  it('not ask ahead without end', async () => {
    handle = () => undefined;
    const before = connections.length;
    await ask('GET $URL/ HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000)).catch(() => undefined);
    expect(connections.length - before).toBeLessThanOrEqual(1);
  });
});
