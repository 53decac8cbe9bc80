import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';

export interface AskedOfWorker {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly meta: {
    readonly trace_id: string;
    readonly tool_run_id: string;
    readonly domain_id: string;
    readonly deadline_ms: number;
  };
  readonly input: JsonObject;
}

export interface WorkerServer {
  readonly url: string;
  readonly asked: readonly AskedOfWorker[];
}

export type WorkerReply = (
  asked: AskedOfWorker,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>;

/** A worker that runs elsewhere: a server of its own. */
export async function startWorker(reply: WorkerReply): Promise<WorkerServer> {
  const asked: AskedOfWorker[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET') return void response.end('{}');
      const given = bodyOf(Buffer.concat(parts).toString());
      if (given === null) return void response.writeHead(400).end('{}');
      const { meta, input } = given;
      const one = { path: request.url ?? '', headers: request.headers, meta, input };
      asked.push(one);
      void reply(one, response, request);
    });
    response.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function bodyOf(text: string): Pick<AskedOfWorker, 'meta' | 'input'> | null {
  try {
    const body = JSON.parse(text) as Partial<AskedOfWorker> | null;
    return typeof body?.meta?.tool_run_id === 'string' && body.input !== undefined
      ? { meta: body.meta, input: body.input }
      : null;
  } catch {
    return null;
  }
}

export const metaOf = ({ meta }: AskedOfWorker, durationMs = 1) => ({
  trace_id: meta.trace_id,
  tool_run_id: meta.tool_run_id,
  duration_ms: durationMs,
});

export function answer(response: ServerResponse, body: unknown, status = 200): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

/** What a worker that does its work answers. */
export const echoes: WorkerReply = (asked, response) =>
  answer(response, { ok: true, meta: metaOf(asked), output: { said: asked.input } });
