import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createNetServer } from 'node:net';
import { realpathSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { configWith } from '../../../process/process.test-support.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { always, namesOf, openTestSources } from './mcp.test-support.js';

async function endOf(call: Promise<unknown>): Promise<Failure | null> {
  try {
    await call;
    return null;
  } catch (error) {
    if (error instanceof ToolFailure) return error.failure;
    throw error;
  }
}

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly result?: unknown;
  readonly params?: { readonly name?: string };
}

type Act = (response: ServerResponse, asked: Asked, request: IncomingMessage) => void;

interface TestServer {
  readonly url: string;
  /** Requests that reached it, as they came: the method of the protocol, or of HTTP. */
  readonly heard: string[];
  readonly headers: IncomingMessage['headers'][];
}

const RESULT = { content: [{ type: 'text', text: 'fine' }] };

/** A server of the protocol over HTTP, with sessions, in so few words that each answer can be a lie. */
async function openServer(act: Act, answered: (result: unknown) => void = () => undefined): Promise<TestServer> {
  const heard: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  let sessions = 0;
  const server = createServer((request, response) => {
    void (async () => {
      headers.push(request.headers);
      if (request.method !== 'POST') return void response.writeHead(405).end();
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const asked = JSON.parse(body) as Asked;
      const { id, method } = asked;
      heard.push(method);
      const json = (value: object, more: Record<string, string> = {}): void => {
        response.writeHead(200, { 'content-type': 'application/json', ...more });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...value }));
      };
      if (method === 'initialize') {
        const result = {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 's', version: '1.0.0' },
        };
        json({ result }, { 'mcp-session-id': `session-${(sessions += 1)}` });
      } else if (typeof method !== 'string') {
        response.writeHead(202).end();
        answered(asked.result);
      } else if (id === undefined) response.writeHead(202).end();
      else if (method === 'tools/list') json({ result: { tools: [{ name: 'act', inputSchema: { type: 'object' } }] } });
      else if (method === 'tools/call') act(response, asked, request);
      else json({ error: { code: -32601, message: 'unknown' } });
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, heard, headers };
}

const status =
  (code: number, headers: Record<string, string> = {}): Act =>
  (response) =>
    void response.writeHead(code, headers).end('said why');

const answer: Act = (response, { id }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: RESULT }));
};

const stream =
  (act: (response: ServerResponse, id: number | undefined) => void): Act =>
  (response, { id }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    act(response, id);
  };

const MAY_HAVE = 'may have had an effect';

const LIES: readonly (readonly [name: string, act: Act, end: object, words: string])[] = [
  ['401', status(401), { code: 'ExecutionFailed', eCode: 'E3307' }, ''],
  ['403', status(403), { code: 'ExecutionFailed', eCode: 'E3307' }, ''],
  ['429', status(429), { code: 'RateLimited', eCode: 'E3303' }, ''],
  ['500', status(500), { code: 'ExecutionFailed', eCode: 'E3304' }, ''],
  ['418', status(418), { code: 'ExecutionFailed' }, '418'],
  [
    'a redirect',
    status(307, { location: 'http://127.0.0.1:1/' }),
    { code: 'ExecutionFailed', eCode: 'E3308' },
    'Redirects are not followed',
  ],
  [
    'a connection that is cut',
    (response) => response.destroy(),
    { code: 'SourceUnavailable', eCode: 'E3306' },
    MAY_HAVE,
  ],
  [
    'a stream that ends without an answer',
    stream((response) => response.end(': nothing\n\n')),
    { code: 'SourceUnavailable', eCode: 'E3306' },
    MAY_HAVE,
  ],
  [
    'a stream that is cut',
    stream((response) => {
      response.write('data: {"json');
      setImmediate(() => response.destroy());
    }),
    { code: 'SourceUnavailable', eCode: 'E3306' },
    MAY_HAVE,
  ],
  [
    'an answer without an end',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    },
    { code: 'ExecutionFailed', eCode: 'E3308' },
    '8 MB',
  ],
  [
    'an event without an end',
    stream((response) => {
      const more = () => {
        while (response.write(`data: ${'x'.repeat(65_536)}\n`));
        response.once('drain', more);
      };
      more();
    }),
    { code: 'ExecutionFailed', eCode: 'E3308' },
    '8 MB',
  ],
  [
    'no JSON',
    (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc'),
    { code: 'OutputInvalid', eCode: 'E3308' },
    MAY_HAVE,
  ],
  [
    'a page',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>'),
    { code: 'OutputInvalid', eCode: 'E3308' },
    MAY_HAVE,
  ],
  ['silence', () => undefined, { code: 'Timeout', eCode: 'E3103' }, MAY_HAVE],
];

describe('a server that is reached by HTTP', () => {
  it.each([
    [401, { code: 'ExecutionFailed', eCode: 'E3307' }],
    [403, { code: 'ExecutionFailed', eCode: 'E3307' }],
    [503, { code: 'SourceUnavailable', eCode: 'E3306' }],
  ])('answers %i before it was greeted: nothing was sent, and no word is of the greeting', async (code, end) => {
    await using sources = await openTestSources();
    const server = createServer((_request, response) => void response.writeHead(code).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const failure = await endOf(sources.callAs(sources.open({ url }), undefined));
    expect(failure).toMatchObject(end);
    expect(failure?.message).not.toMatch(/negotiation|may have had an effect/u);
  });

  it.each(LIES)('%s: one bounded error, sent once', async (name, act, end, words) => {
    await using sources = await openTestSources();
    let lies = true;
    const server = await openServer((...all) => (lies ? act(...all) : answer(...all)));
    const source = sources.open({ url: server.url });
    await source.offer(always);
    const failure = await endOf(sources.call(source, 'act', {}, { timeoutMs: name === 'silence' ? 300 : 60_000 }));
    expect(failure).toMatchObject(end);
    expect(failure?.eCode).toBe('eCode' in end ? end.eCode : undefined);
    expect(failure?.message).toContain(words);
    expect(server.heard.filter((method) => method === 'tools/call')).toHaveLength(1);
    lies = false;
    expect((await sources.call(source, 'act')).content).toBe('fine');
  });

  it('a session that it does not know any more is begun anew, and the call sent again, once', async () => {
    await using sources = await openTestSources();
    let known = 'session-2';
    const server = await openServer((response, asked, request) =>
      request.headers['mcp-session-id'] === known
        ? answer(response, asked, request)
        : status(404)(response, asked, request),
    );
    const source = sources.open({ url: server.url });
    const offer = await source.offer(always);
    const asked: unknown[] = [];
    const [operation] = offer.operations;
    const { content } = await sources.callAs(source, operation, { stillAccepted: (now) => asked.push(now) });
    expect(content).toBe('fine');
    expect(server.heard.filter((method) => method === 'tools/call')).toHaveLength(2);
    // What a new session offers is asked about before anything is sent there.
    expect(asked).toEqual([offer]);
    known = 'none';
    expect(await endOf(sources.call(source, 'act'))).toMatchObject({ code: 'ExecutionFailed' });
    expect(server.heard.filter((method) => method === 'tools/call')).toHaveLength(4);
  });

  it('is told the folder of who asks, and of nobody else', async () => {
    await using sources = await openTestSources();
    const told: unknown[] = [];
    const asksRoots = stream((response) => {
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 'roots', method: 'roots/list' })}\n\n`);
    });
    const server = await openServer(
      (response, asked, request) => {
        held = { response, id: asked.id };
        asksRoots(response, asked, request);
      },
      (result) => {
        told.push(result);
        held?.response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: held.id, result: RESULT })}\n\n`);
      },
    );
    let held: { response: ServerResponse; id: number | undefined } | null = null;
    const source = sources.open({ url: server.url, filesystem: 'read' });
    for (const folder of ['/work/one', '/work/two', '/work/one'])
      expect((await sources.call(source, 'act', {}, { folder })).content).toBe('fine');
    const root = (folder: string) => ({ roots: [{ uri: `file://${folder}`, name: 'Workspace' }] });
    expect(told).toEqual([root('/work/one'), root('/work/two'), root('/work/one')]);
  });

  it('gets its keys in headers, to its own address and nowhere else', async () => {
    await using sources = await openTestSources({ github: 'ghp_secret' });
    const server = await openServer(answer);
    const source = sources.open({
      url: server.url,
      headers: { Authorization: 'Bearer secret:github', 'X-Team': 'gate' },
    });
    expect((await sources.call(source, 'act')).content).toBe('fine');
    expect(
      server.headers.every((each) => each.authorization === 'Bearer ghp_secret' && each['x-team'] === 'gate'),
    ).toBe(true);
    expect(JSON.stringify([source.identity, source.state()])).not.toContain('ghp_secret');
    expect(source.identity).toEqual({ kind: 'mcp', url: server.url, headers: ['Authorization', 'X-Team'] });
    const [operation] = (await source.offer(always)).operations;
    if (operation === undefined) throw new Error('it offers nothing');
    const situation = { config: configWith({}), confinement: { available: true, problem: null }, network: [] };
    const { network, secrets, process: held } = source.termsFor(situation, operation);
    expect({ network: network.hosts, secrets, held }).toEqual({
      network: [new URL(server.url).host],
      secrets: ['github'],
      held: null,
    });
  });

  it('nobody is there: it is said, and nothing was sent', async () => {
    await using sources = await openTestSources();
    const port = await freePort();
    const source = sources.open({ url: `http://127.0.0.1:${port}/mcp` });
    await expect(source.offer(always)).rejects.toThrow('nothing listens there');
  });
});

describe('server-everything over HTTP', () => {
  it.each([
    ['streamableHttp', '/mcp'],
    ['sse', '/sse'],
  ])('%s', async (kind, path) => {
    await using sources = await openTestSources();
    const port = await freePort();
    const program = realpathSync('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
    const child = spawn('node', [program, kind], {
      env: { PATH: process.env['PATH'], PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
    });
    child.stdout.resume();
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    await expect.poll(() => said).toMatch(/listening|running/iu);
    const source = sources.open({ url: `http://127.0.0.1:${port}${path}` });
    expect(namesOf(await source.offer(always))).toContain('echo');
    expect((await sources.call(source, 'echo', { message: 'over there' })).content).toContain('over there');
    expect(source.state()).toMatchObject({ running: 'running', confinement: null });
  });
});

async function freePort(): Promise<number> {
  const server = createNetServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
