import { setTimeout as wait } from 'node:timers/promises';
import { ask } from './ask.mjs';
import { serveWorker, WorkerFault } from './worker.mjs';

const BASE_URL = (process.env['FIRECRAWL_BASE_URL'] || 'https://api.firecrawl.dev').replace(/\/+$/, '');
const KEY = process.env['FIRECRAWL_API_KEY'] ?? '';
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5000;

/** What the API answers, or the framework’s error for what it did not. */
async function call(method, url, body, signal) {
  let answer;
  try {
    answer = await ask(method, url, { authorization: `Bearer ${KEY}` }, body, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new WorkerFault('UPSTREAM_ERROR', `Firecrawl was not reached: ${error.message}`, true);
  }
  const { status, text } = answer;
  const said = parsed(text);
  if (status >= 400) {
    const why = typeof said?.error === 'string' ? `: ${said.error.slice(0, 500)}` : '';
    throw new WorkerFault(
      'UPSTREAM_ERROR',
      `Firecrawl answered with ${status}${why}`,
      status === 401 || status >= 500,
      {
        status,
      },
    );
  }
  if (typeof said !== 'object' || said === null)
    throw new WorkerFault('UPSTREAM_ERROR', 'Firecrawl answered with something that is no JSON.', true, { status });
  if (said.success === false)
    throw new WorkerFault('UPSTREAM_ERROR', `Firecrawl failed: ${String(said.error ?? '').slice(0, 500)}`, false, {
      status,
    });
  return said;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function webAddress(url) {
  const read = URL.parse(url);
  if (read === null || !['http:', 'https:'].includes(read.protocol))
    throw new WorkerFault('VALIDATION_ERROR', 'url must be an address of the web: http or https.', false);
  return read.href;
}

const page = ({ markdown, metadata }) => ({
  markdown: typeof markdown === 'string' ? markdown : '',
  ...(typeof metadata === 'object' && metadata !== null ? { metadata } : {}),
});

async function scrape({ url, onlyMainContent = true }, { signal }) {
  const body = { url: webAddress(url), formats: ['markdown'], onlyMainContent };
  const { data } = await call('POST', `${BASE_URL}/v1/scrape`, body, signal);
  return page(data ?? {});
}

/** A crawl is a job of the API’s: it is asked until that is done, or the deadline is there. */
async function crawl({ url, limit = 50 }, { signal }) {
  const body = { url: webAddress(url), limit, scrapeOptions: { formats: ['markdown'] } };
  const { id } = await call('POST', `${BASE_URL}/v1/crawl`, body, signal);
  if (typeof id !== 'string' || id === '') throw new WorkerFault('UPSTREAM_ERROR', 'Firecrawl named no job.', true);
  const job = `${BASE_URL}/v1/crawl/${encodeURIComponent(id)}`;
  for (let pause = FIRST_WAIT_MS; ; pause = Math.min(LONGEST_WAIT_MS, pause * 1.5)) {
    const state = await call('GET', job, null, signal);
    if (state.status === 'completed') return pagesOf(state, signal);
    if (state.status !== 'scraping')
      throw new WorkerFault('UPSTREAM_ERROR', `The crawl ended as “${String(state.status).slice(0, 60)}”.`, false);
    await wait(pause, undefined, { signal });
  }
}

/** Many pages come in several answers, each with where the next one is: below the same address, or it is not asked. */
async function pagesOf(first, signal) {
  const pages = [];
  for (let part = first; ;) {
    pages.push(...(Array.isArray(part.data) ? part.data : []).map(page));
    if (typeof part.next !== 'string') break;
    const { pathname, search } = new URL(part.next, BASE_URL);
    part = await call('GET', `${new URL(BASE_URL).origin}${pathname}${search}`, null, signal);
  }
  return { total: pages.length, pages };
}

serveWorker({ '/run': crawl, '/run/scrape': scrape });
