import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AllowedHost, parseAllowedHost } from '../../domain/policy/allowed-hosts.js';
import { openElsewhere } from './elsewhere.test-support.js';
import { type FilteringProxy, openFilteringProxy } from './filtering-proxy.js';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-proxy-'));
const asked: IncomingMessage[] = [];
let web: HttpServer;
let echo: Server;
let webPort = 0;
let echoPort = 0;
let sockets = 0;

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listening = (server: Server): Promise<void> => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

beforeAll(async () => {
  web = createHttpServer((request, response) => {
    asked.push(request);
    if (request.url === '/broken') {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half', () => response.destroy());
    } else if (request.url === '/chunks') {
      response.writeHead(200, { 'x-kept': 'yes', connection: 'close, x-dropped', 'x-dropped': 'no' });
      response.write('one ');
      response.end('two');
    } else void text(request).then((body) => response.end(`${request.method} ${request.url} ${body}`));
  });
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  await listening(web);
  await listening(echo);
  [webPort, echoPort] = [portOf(web), portOf(echo)];
});
afterAll(() => {
  web.closeAllConnections();
  web.close();
  echo.close();
  rmSync(folder, { recursive: true, force: true });
});

function listed(...entries: string[]): AllowedHost[] {
  return entries.map((entry) => {
    const read = parseAllowedHost(entry);
    if (!read.ok) throw new Error(read.problem);
    return read.allowed;
  });
}

const open = (...entries: string[]) => openFor(false, entries);
const openToAny = (...entries: string[]) => openFor(true, entries);

async function openFor(
  anyHost: boolean,
  entries: string[],
): Promise<{ proxy: FilteringProxy; path: string } & AsyncDisposable> {
  const path = join(folder, `p${(sockets += 1)}`);
  const proxy = await openFilteringProxy({ socketPath: path, reach: { anyHost, hosts: listed(...entries) } });
  return { proxy, path, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

/** Gives all that comes back until the other side is done. */
async function say(path: string, words: string): Promise<string> {
  const socket = connect(path);
  socket.write(words);
  return text(socket);
}

const get = (url: string, headers = ''): string =>
  `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;

describe('plain HTTP', () => {
  it('goes to a host of the list, with what was asked as it was', async () => {
    await using opened = await open('127.0.0.1');
    const url = `http://127.0.0.1:${webPort}/a/../b?q=%41#part`;
    const answer = await say(opened.path, get(url, 'X-Mine: 1\r\nProxy-Authorization: secret\r\nTE: trailers\r\n'));
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/u);
    expect(answer).toContain('GET /a/../b?q=%41 ');
    const headers = asked.at(-1)?.headers;
    expect(headers).toMatchObject({ host: `127.0.0.1:${webPort}`, 'x-mine': '1' });
    expect(headers).not.toHaveProperty('proxy-authorization');
    expect(headers).not.toHaveProperty('te');
    expect(opened.proxy.use).toEqual({ reached: [`127.0.0.1:${webPort}`], refused: [] });
  });

  it('what the client wrote as Host does not lead to another site', async () => {
    await using opened = await open('127.0.0.1');
    const smuggled = `GET http://127.0.0.1:${webPort}/ HTTP/1.1\r\nHost: secret.internal\r\nConnection: close\r\n\r\n`;
    await say(opened.path, smuggled);
    expect(asked.at(-1)?.headers.host).toBe(`127.0.0.1:${webPort}`);
  });

  it('passes bodies on both ways, and drops what is of one connection alone', async () => {
    await using opened = await open('127.0.0.1');
    const base = `http://127.0.0.1:${webPort}`;
    const posted = `POST ${base}/p HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n`;
    expect(await say(opened.path, posted)).toContain('POST /p body');
    const answer = await say(opened.path, get(`${base}/chunks`));
    expect(answer).toMatch(/x-kept: yes/iu);
    expect(answer).not.toMatch(/x-dropped/iu);
    expect(answer).toMatch(/one [\s\S]*two/u);
    const head = await say(opened.path, get(`${base}/`).replace('GET', 'HEAD'));
    expect(head).toMatch(/^HTTP\/1\.1 200/u);
  });

  it('an answer that breaks off breaks off, it does not end', async () => {
    await using opened = await open('127.0.0.1');
    const answer = await say(opened.path, get(`http://127.0.0.1:${webPort}/broken`)).catch((error: unknown) => error);
    if (typeof answer === 'string') expect(answer).toMatch(/content-length: 1000[\s\S]*half$/iu);
  });

  it('is refused elsewhere, with words, and noted', async () => {
    await using opened = await open('example.com', `127.0.0.1:${webPort + 1}`);
    const answer = await say(opened.path, get(`http://127.0.0.1:${webPort}/`));
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden/u);
    expect(answer).toContain(`127.0.0.1:${webPort} is not among the hosts that this command may reach`);
    expect(opened.proxy.use).toEqual({ reached: [], refused: [`127.0.0.1:${webPort}`] });
  });

  it.each([
    ['/path', 400],
    ['https://example.com/', 400],
    ['ftp://example.com/', 400],
    ['http:///', 400],
    ['http://exa mple.com/', 400],
  ])('%s is answered with %i', async (url, status) => {
    await using opened = await open('example.com');
    expect(await say(opened.path, get(url))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, 'u'));
  });

  it('says so when nobody answers there, also to who still sends', async () => {
    const nobody = createServer();
    await listening(nobody);
    const port = portOf(nobody);
    await new Promise((resolve) => nobody.close(resolve));
    await using opened = await open('127.0.0.1');
    const answer = await say(
      opened.path,
      `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway[\s\S]*could not be reached: connect ECONNREFUSED/u);
    expect(await say(opened.path, `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 502 Bad Gateway/u,
    );
    expect(opened.proxy.use.reached).toEqual([]);
  });
});

describe('tunnels', () => {
  async function tunnel(path: string, target: string): Promise<{ socket: Socket; head: string }> {
    const socket = connect({ path, allowHalfOpen: true });
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
    const head = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())));
    return { socket, head };
  }

  it('carry bytes both ways, each side closing when it is done', async () => {
    await using opened = await open(`localhost:${echoPort}`);
    const { socket, head } = await tunnel(opened.path, `LOCALHOST:${echoPort}`);
    expect(head).toBe('HTTP/1.1 200 Connection established\r\n\r\n');
    const sent = Buffer.alloc(5_000_000, 'some bytes that are told apart by where they are');
    socket.end(sent);
    const received = await socket.toArray();
    expect(Buffer.concat(received as Buffer[]).equals(sent)).toBe(true);
    expect(opened.proxy.use).toEqual({ reached: [`localhost:${echoPort}`], refused: [] });
  });

  it('pass on what was sent too early', async () => {
    await using opened = await open('127.0.0.1');
    const socket = connect(opened.path);
    socket.end(`CONNECT 127.0.0.1:${echoPort} HTTP/1.1\r\n\r\nearly`);
    expect(await text(socket)).toBe('HTTP/1.1 200 Connection established\r\n\r\nearly');
  });

  it('are refused elsewhere', async () => {
    await using opened = await open('*.example.com');
    const answer = await say(opened.path, 'CONNECT example.com:443 HTTP/1.1\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*example\.com:443 is not among/u);
    expect(opened.proxy.use).toEqual({ reached: [], refused: ['example.com:443'] });
  });

  it.each(['example.com', 'example.com:0', 'example.com:99999', 'http://example.com:80/', ':443'])(
    'CONNECT %s is a bad request',
    async (target) => {
      await using opened = await open('example.com');
      expect(await say(opened.path, `CONNECT ${target} HTTP/1.1\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /u);
    },
  );

  it('end with the proxy', async () => {
    const opened = await open('127.0.0.1');
    const { socket } = await tunnel(opened.path, `127.0.0.1:${echoPort}`);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await opened.proxy[Symbol.asyncDispose]();
    socket.end();
    await closed;
    await expect(say(opened.path, 'x')).rejects.toThrow(/ENOENT|ECONNREFUSED/u);
  });
});

describe('any host', () => {
  const connectTo = (target: string): string => `CONNECT ${target} HTTP/1.1\r\n\r\n`;

  it('is a host that is not this machine and not next to it, whatever it is called', async () => {
    await using opened = await openToAny();
    const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
    const plain = own.filter((address) => !address.includes('%')).map((each) => (isIPv6(each) ? `[${each}]` : each));
    const near = ['localhost', '127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254'];
    const spelled = ['2130706433', '0x7f.1', '017700000001', '[64:ff9b::7f00:1]', '[fd00:ec2::254]', '100.100.100.200'];
    const all = [...near, ...spelled, 'a.localhost', ...plain];
    for (const host of all) {
      const tunnel = await say(opened.path, connectTo(`${host}:${echoPort}`));
      expect(tunnel, host).toMatch(/^HTTP\/1\.1 (?:403 Forbidden|502 Bad Gateway)\r\n/u);
      // What does not even resolve is no way either; the rest is refused for what it is.
      if (host !== 'a.localhost') expect(tunnel, host).toMatch(/this machine or next to it/u);
      expect(await say(opened.path, get(`http://${host}:${webPort}/`)), host).not.toContain('200 OK');
    }
    expect(opened.proxy.use.reached).toEqual([]);
    expect(opened.proxy.use.refused).toContain(`127.0.0.1:${echoPort}`);
  });

  it('is tried where nothing is known against it, and this machine where the list names it', async () => {
    await using opened = await openToAny(`127.0.0.1:${webPort}`);
    expect(await say(opened.path, get('http://nothing.invalid/'))).toMatch(
      /^HTTP\/1\.1 502 [\s\S]*nothing\.invalid:80 could not be reached/u,
    );
    expect(await say(opened.path, get(`http://127.0.0.1:${webPort}/listed`))).toContain('GET /listed');
    expect(await say(opened.path, connectTo(`127.0.0.1:${echoPort}`))).toContain('403 Forbidden');
    expect(opened.proxy.use).toEqual({ reached: [`127.0.0.1:${webPort}`], refused: [`127.0.0.1:${echoPort}`] });
  });

  it.runIf(process.getuid?.() === 0)('is reached, by address', async () => {
    using elsewhere = await openElsewhere('from elsewhere');
    await using opened = await openToAny();
    const target = `${elsewhere.address}:${elsewhere.port}`;
    expect(await say(opened.path, get(`http://${target}/`))).toContain('from elsewhere');
    expect(opened.proxy.use).toEqual({ reached: [target], refused: [] });
  });

  it.runIf(process.getuid?.() === 0)('is none that is routed here without being an interface’s', async () => {
    const routed = '203.0.113.77';
    const route = (what: 'add' | 'del') => execFileSync('ip', ['route', what, 'local', `${routed}/32`, 'dev', 'lo']);
    route('add');
    onTestFinished(() => void route('del'));
    const site = createHttpServer((_request, response) => response.end('ESCAPED'));
    await new Promise<void>((resolve) => site.listen(0, routed, resolve));
    onTestFinished(() => void site.close());
    await using opened = await openToAny();
    const answer = await say(opened.path, get(`http://${routed}:${portOf(site)}/`));
    expect(answer).toContain('403 Forbidden');
    expect(answer).not.toContain('ESCAPED');
  });
});

it('what is no HTTP at all is answered and closed', async () => {
  await using opened = await open('127.0.0.1');
  expect(await say(opened.path, '\u0016\u0003\u0001 hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /u);
});

it('however many hosts are asked for, few are kept', async () => {
  await using opened = await open('example.com');
  const all = Array.from({ length: 150 }, (_, index) =>
    say(opened.path, `CONNECT h${index}.test:443 HTTP/1.1\r\n\r\n`),
  );
  await Promise.all(all);
  expect(opened.proxy.use.refused).toHaveLength(100);
});
