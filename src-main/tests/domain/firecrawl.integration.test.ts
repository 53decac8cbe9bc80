import { expect, it, onTestFinished } from 'vitest';
import { openTestWorkers } from '../../process/workers/workers.test-support.js';
import { openDomainGate } from './domain-gate.test-support.js';
import { FIRECRAWL_KEY, type FirecrawlUpstream, startFirecrawl } from './firecrawl-upstream.test-support.js';
import { sampleFiles } from './sample-files.test-support.js';

/** The sample as it comes along, but for where its API is, and without a question. */
async function open(upstream: FirecrawlUpstream, key: string | null = FIRECRAWL_KEY) {
  const workers = await openTestWorkers();
  onTestFinished(() => workers[Symbol.asyncDispose]());
  const files = sampleFiles('firecrawl');
  const manifest = (files['manifest.yaml'] ?? '')
    .replaceAll('api.firecrawl.dev:443', `127.0.0.1:${upstream.port}`)
    .replaceAll('requires_approval: true', 'requires_approval: false');
  return openDomainGate({
    files: { ...files, 'manifest.yaml': manifest },
    runner: workers.runner,
    secretOf: (name) => (name === 'FIRECRAWL_API_KEY' ? key : name === 'FIRECRAWL_BASE_URL' ? upstream.url : null),
  });
}

it('scrapes, and crawls until the job is done, through its sandbox’s only way out', async () => {
  const upstream = await startFirecrawl();
  const { run, host } = await open(upstream);
  expect(host.problems).toEqual([]);
  const scraped = await run('firecrawl.scrape', { input: { url: 'https://example.com' } });
  expect(scraped.body, JSON.stringify(scraped.body)).toMatchObject({
    ok: true,
    output: { markdown: '# Page 1 of https://example.com/', metadata: { statusCode: 200 } },
  });
  const crawled = await run('firecrawl.crawl', { input: { url: 'https://example.com', limit: 5 } });
  expect(crawled.body).toMatchObject({ ok: true, output: { total: 5 } });
  expect(upstream.asked).toEqual([
    'POST /v1/scrape',
    'POST /v1/crawl',
    ...Array.from({ length: 5 }, () => 'GET /v1/crawl/job-1'),
  ]);
});

it.each([
  [401, '{"success":false,"error":"no"}', true],
  [400, '{"success":false,"error":"bad url"}', false],
  [402, '{}', false],
  [429, '{}', false],
  [500, 'oops', true],
  [503, '{}', true],
  [200, '<html>', true],
])('%i from upstream is UPSTREAM_ERROR, retryable or not as the seed has it', async (status, body, retryable) => {
  const upstream = await startFirecrawl();
  const { run } = await open(upstream);
  upstream.next.push({ status, body });
  expect(await run('firecrawl.scrape', { input: { url: 'https://example.com' } })).toMatchObject({
    status: 502,
    body: { error: { code: 'UPSTREAM_ERROR', retryable, details: { code: 'ExecutionFailed', status } } },
  });
});

it('without its key it runs, and upstream says no; what can’t be an address is the caller’s', async () => {
  const upstream = await startFirecrawl();
  const { run } = await open(upstream, null);
  expect(await run('firecrawl.scrape', { input: { url: 'https://example.com' } })).toMatchObject({
    status: 502,
    body: { error: { code: 'UPSTREAM_ERROR', retryable: true } },
  });
  expect(await run('firecrawl.scrape', { input: { url: 'file:///etc/passwd' } })).toMatchObject({
    status: 400,
    body: { error: { code: 'VALIDATION_ERROR', retryable: false } },
  });
});

it('a crawl that is not done by the deadline is TIMEOUT', async () => {
  const upstream = await startFirecrawl();
  upstream.polls = 1_000_000;
  const { run } = await open(upstream);
  const answer = await run('firecrawl.crawl', {
    input: { url: 'https://example.com' },
    meta: { deadline_ms: Date.now() + 2500 },
  });
  expect(answer).toMatchObject({ status: 504, body: { error: { code: 'TIMEOUT' } } });
});
