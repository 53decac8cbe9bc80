import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Compare } from './harness.js';
import { type RunningApp, startApp } from './running-app.js';

const FOUR_MEGABYTES = 4 * 1024 * 1024;

/**
 * How long everybody else waits while one request of four megabytes is taken in: the longest of the answers that another
 * connection gets meanwhile, against the same beside an empty request. The window waits as long as they do.
 */
export async function run(compare: Compare): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const workspace = mkdtempSync(join(scratch, 'workspace-'));
  const app = await startApp(join(scratch, 'data'), workspace);
  try {
    const session = await openSession(app);
    const empty = Buffer.from('{"jsonrpc":"2.0","id":0,"method":"ping"}');
    for (const [name, body] of requests())
      await compare({
        name: `the longest wait beside ${name}`,
        unit: 'ms',
        subject: { name, sample: () => longestWait(app, session, body) },
        peer: { name: 'an empty request', sample: () => longestWait(app, session, empty) },
        warmUp: 3,
        samples: 40,
      });
  } finally {
    await app.end();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

function requests(): readonly (readonly [string, Buffer])[] {
  const call = (args: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_file","arguments":${args}}}`;
  const many = (count: number, each: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => each(at)).join(',');
  const filled = (unit: string): string => unit.repeat(Math.floor((FOUR_MEGABYTES - 300) / unit.length));
  const all: readonly (readonly [string, string])[] = [
    ['a batch of 100,000 ids', `[${many(100_000, (id) => `{"jsonrpc":"2.0","id":${id},"m":1}`)}]`],
    ['350,000 names', call(`{${many(350_000, (at) => `"k${at}":1`)}}`)],
    ['nesting a million deep', call('[')],
    ['one text of 4 MB', call(`{"path":"a.txt","content":"${filled('x')}"}`)],
    ['one text of 4 MB, escaped', call(`{"path":"a.txt","content":"${filled(String.raw`\u0101`)}"}`)],
    ['a 4 MB name', call(`{"${filled('k')}":1}`)],
    ['a 4 MB tool name', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${filled('n')}"}}`],
    ['9,000 texts of 440 bytes', call(`{"x":[${many(9000, () => `"${'y'.repeat(440)}"`)}]}`)],
  ];
  return all.map(([name, text]) => {
    const whole = name.startsWith('nesting')
      ? text.replace('[', `${'['.repeat(1_900_000)}${']'.repeat(1_900_000)}`)
      : text;
    if (whole.length > FOUR_MEGABYTES) throw new Error(`${name} is over the limit for a body.`);
    return [name, Buffer.from(whole)];
  });
}

const connections = new Agent({ keepAlive: true });

function send(
  app: RunningApp,
  path: string,
  body: Buffer | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, string | string[] | undefined>>> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, app.url),
      {
        method: body === null ? 'GET' : 'POST',
        agent: connections,
        headers: {
          authorization: `Bearer ${app.token}`,
          ...(body === null
            ? {}
            : {
                'content-type': 'application/json',
                'content-length': String(body.length),
                accept: 'application/json, text/event-stream',
              }),
          ...headers,
        },
      },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.headers));
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body ?? undefined);
  });
}

async function openSession(app: RunningApp): Promise<Readonly<Record<string, string>>> {
  const hello = {
    jsonrpc: '2.0',
    id: 'hello',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  };
  const headers = await send(app, '/mcp', Buffer.from(JSON.stringify(hello)));
  const id = headers['mcp-session-id'];
  if (typeof id !== 'string') throw new Error('No session was given.');
  return { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
}

async function longestWait(app: RunningApp, session: Readonly<Record<string, string>>, body: Buffer): Promise<number> {
  const state = { over: false };
  const sent = send(app, '/mcp', body, session).finally(() => (state.over = true));
  let longest = 0;
  do {
    const began = performance.now();
    await send(app, '/v1/status', null);
    longest = Math.max(longest, performance.now() - began);
  } while (!state.over);
  await sent;
  return longest;
}
