import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface FirecrawlUpstream {
  readonly url: string;
  readonly port: number;
  readonly asked: readonly string[];
  /** What it answers instead, once for each that is given here. */
  readonly next: { status: number; body: string }[];
  /** So often a crawl is still under way when it is asked about. */
  polls: number;
}

export const FIRECRAWL_KEY = 'fc-standin-0123456789';

/** Speaks Firecrawl’s API, as far as the sample uses it: scrape, and crawl as a job that is asked about, its pages in two parts. */
export async function startFirecrawl(): Promise<FirecrawlUpstream> {
  const asked: string[] = [];
  const jobs = new Map<string, { url: string; limit: number; polls: number }>();
  const page = (url: string, at: number) => ({
    markdown: `# Page ${at} of ${url}`,
    metadata: { sourceURL: `${url}/${at}`, statusCode: 200 },
  });
  const upstream = { next: [] as { status: number; body: string }[], polls: 2 };
  const send = (response: ServerResponse, status: number, body: object | string): void =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://upstream');
    asked.push(`${request.method} ${pathname}`);
    const body = await text(request);
    const instead = upstream.next.shift();
    if (instead !== undefined) return send(response, instead.status, instead.body);
    if (request.headers.authorization !== `Bearer ${FIRECRAWL_KEY}`)
      return send(response, 401, { success: false, error: 'Unauthorized: Invalid token' });
    const given = (body === '' ? {} : JSON.parse(body)) as { url?: string; limit?: number };
    if (pathname === '/v1/scrape' && request.method === 'POST')
      return send(response, 200, { success: true, data: page(given.url ?? '', 1) });
    if (pathname === '/v1/crawl' && request.method === 'POST') {
      const id = `job-${jobs.size + 1}`;
      jobs.set(id, { url: given.url ?? '', limit: given.limit ?? 1, polls: upstream.polls });
      return send(response, 200, { success: true, id, url: `http://upstream/v1/crawl/${id}` });
    }
    const job = jobs.get(/^\/v1\/crawl\/([\w-]+)$/u.exec(pathname)?.[1] ?? '');
    if (job === undefined) return send(response, 404, { success: false, error: 'Job not found' });
    const skip = Number(searchParams.get('skip') ?? 0);
    if (skip === 0 && job.polls > 0) {
      job.polls -= 1;
      return send(response, 200, { success: true, status: 'scraping', total: job.limit, completed: 0, data: [] });
    }
    const pages = Array.from({ length: job.limit }, (_each, at) => page(job.url, at + 1)).slice(skip, skip + 2);
    const rest = skip + 2 < job.limit ? { next: `http://upstream${pathname}?skip=${skip + 2}` } : {};
    return send(response, 200, {
      success: true,
      status: 'completed',
      total: job.limit,
      completed: job.limit,
      data: pages,
      ...rest,
    });
  };
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(upstream, { url: `http://127.0.0.1:${port}`, port, asked });
}
