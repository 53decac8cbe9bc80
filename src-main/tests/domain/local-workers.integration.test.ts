import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openTestWorkers } from '../../process/workers/workers.test-support.js';
import { detailsOf } from '../gate/call-details.test-support.js';
import { manifestText, openDomainGate, type PackageText } from './domain-gate.test-support.js';
import { until } from '../until.test-support.js';

const sample = resolve('resources/domains/calculator');
const read = (path: string): string => readFileSync(join(sample, path), 'utf8');
const CALCULATOR: PackageText = Object.fromEntries(
  [
    'manifest.yaml',
    'policies.yaml',
    'schemas/operands.json',
    'schemas/result.json',
    'workers/calculator/main.mjs',
    'workers/calculator/worker.mjs',
  ].map((path) => [path, read(path)]),
);

const HOUR = 3_600_000;
const QUICK = {
  healthEveryMs: 50,
  healthWithinMs: 10_000,
  backOffMs: 20,
  longestBackOffMs: 200,
  graceMs: 500,
  callWaitsMs: 60_000,
};

async function open(files: PackageText, more: Partial<Parameters<typeof openDomainGate>[0]> = {}) {
  const workers = await openTestWorkers();
  onTestFinished(() => workers[Symbol.asyncDispose]());
  const domain = await openDomainGate({ files, runner: workers.runner, times: QUICK, ...more });
  /** What runs now, as the next start would find it after a crash. */
  const running = (): readonly string[] => readdirSync(workers.runningFolder);
  return { ...domain, running };
}

it('the calculator comes along and works: two tools, one worker, both envelopes', async () => {
  const { run, host, get, gate } = await open(CALCULATOR, { noFolder: true });
  expect(host.problems).toEqual([]);
  expect(await run('calculator.add', { input: { a: 2, b: 40 } })).toMatchObject({
    status: 200,
    body: { ok: true, output: { result: 42 } },
  });
  expect(await run('calculator.divide', { input: { a: 1, b: 4 } })).toMatchObject({
    body: { output: { result: 0.25 } },
  });
  const byZero = await run('calculator.divide', { input: { a: 1, b: 0 } });
  expect(byZero).toMatchObject({
    status: 400,
    body: { error: { code: 'VALIDATION_ERROR', message: 'Division by zero.', retryable: false } },
  });
  expect(await run('calculator.add', { input: { a: 1 } })).toMatchObject({
    status: 400,
    body: { error: { details: { code: 'BadArgs' } } },
  });
  for (const [id, input] of [
    ['add', { a: Number.MAX_SAFE_INTEGER, b: Number.MAX_SAFE_INTEGER }],
    ['add', { a: 1e308, b: 1e308 }],
    ['divide', { a: 1e300, b: 0.1 }],
  ] as const)
    expect(await run(`calculator.${id}`, { input }), id).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR', message: 'The result is too large.', retryable: false } },
    });
  const [state, ...others] = host.now?.workers ?? [];
  expect(others).toEqual([]);
  expect(state).toMatchObject({
    worker: 'calculator',
    toolIds: ['calculator.add', 'calculator.divide'],
    running: 'running',
    healthy: true,
    isolation: { by: 'bubblewrap' },
  });
  expect((await get('/v1/tools')).body['tools']).toHaveLength(2);
  const [detail] = await detailsOf(gate.dataDir, [byZero.body.meta.tool_run_id ?? '']);
  expect(detail).toMatchObject({ state: 'ABORTED', code: 'ExecutionFailed', door: 'gateway' });
});

/** A worker that does what its input says, whatever else. */
const OBEDIENT = `
import { createServer } from 'node:http';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
const began = Date.now();
console.log('ready with', process.env.KEY ?? 'nothing');
createServer((request, response) => {
  if (request.method === 'GET') return response.end('{}');
  let text = '';
  request.on('data', (part) => (text += part));
  request.on('end', async () => {
    const { meta, input } = JSON.parse(text);
    if (input.die) process.exit(7);
    const output = { pid: process.pid, began, key: process.env.KEY ?? null, length: process.env.KEY?.length ?? 0, cwd: process.cwd() };
    if (input.read) output.found = existsSync(input.read);
    if (input.write) output.wrote = input.write.map((path) => {
      try {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, 'Send it all away.');
        return 'written';
      } catch (error) {
        return error.code;
      }
    });
    if (input.fetch) {
      const proxy = new URL(process.env.HTTP_PROXY);
      const { request: ask } = await import('node:http');
      output.status = await new Promise((resolve) => {
        const asked = ask({ host: proxy.hostname, port: proxy.port, path: input.fetch, headers: { host: new URL(input.fetch).host } }, (answer) => { answer.resume(); resolve(answer.statusCode); });
        asked.on('error', (error) => resolve(error.code));
        asked.end();
      });
    }
    response.end(JSON.stringify({ ok: true, meta: { trace_id: meta.trace_id, tool_run_id: meta.tool_run_id }, output }));
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const obedient = (more: object = {}) => ({
  tool_id: 'local.do',
  kind: 'service_worker',
  timeout_sec: 20,
  requires_approval: false,
  worker: { command: ['node', 'workers/do/main.mjs'], port_env: 'PORT' },
  ...more,
});

it('a worker that never listens is not there for a call, which does not wait for it without end', async () => {
  const { run } = await open(
    {
      'manifest.yaml': manifestText([
        { ...obedient(), worker: { command: ['sleep', '600'], port_env: 'PORT' }, timeout_sec: 300 },
      ]),
    },
    { times: { ...QUICK, callWaitsMs: 300 } },
  );
  const waited = await run('local.do');
  expect(waited).toMatchObject({
    status: 502,
    body: { error: { code: 'UPSTREAM_ERROR', retryable: true, details: { code: 'SourceUnavailable' } } },
  });
  expect(waited.body.error?.message).toContain('It did not listen in 0.3 s.');
});

it('a secret that is another by now starts its worker anew, and no other', async () => {
  const secrets: Record<string, string | undefined> = { KEY: 'then' };
  const { run, host } = await open(
    {
      'manifest.yaml': manifestText([obedient({ secrets: ['KEY'] }), obedient({ tool_id: 'local.other' })]),
      'workers/do/main.mjs': OBEDIENT,
    },
    { secretOf: (name) => secrets[name] ?? null },
  );
  const said = async (id: string) => (await run(id)).body.output as { readonly length: number; readonly began: number };
  const other = await said('local.other');
  expect(await said('local.do')).toMatchObject({ length: 4 });
  for (const now of ['another', undefined]) {
    secrets['KEY'] = now;
    host.now?.renewWorkers();
    expect(await said('local.do')).toMatchObject({ length: now?.length ?? 0 });
  }
  const { began } = await said('local.do');
  host.now?.renewWorkers();
  expect((await said('local.do')).began).toBe(began);
  expect((await said('local.other')).began).toBe(other.began);
});

it('a worker that dies is started again, and the calls before and after it are told the truth', async () => {
  const { run, host } = await open({ 'manifest.yaml': manifestText([obedient()]), 'workers/do/main.mjs': OBEDIENT });
  const first = await run('local.do');
  expect(first.status, first.body.error?.message).toBe(200);
  const died = await run('local.do', { input: { die: true } });
  expect(died).toMatchObject({
    status: 502,
    body: {
      error: { code: 'UPSTREAM_ERROR', retryable: true, details: { code: 'SourceUnavailable', e_code: 'E3101' } },
    },
  });
  expect(died.body.error?.message).toContain('may have had an effect');
  await until(() => host.now?.workers[0]?.running === 'running' && host.now.workers[0].restarts > 0);
  const again = await run('local.do');
  expect(again.status).toBe(200);
  expect((again.body.output as { began: number }).began).toBeGreaterThan(
    (first.body.output as { began: number }).began,
  );
  expect(host.now?.workers[0]?.log).toContain('ready with nothing');
});

it('a worker that waits to be started again is started by no call before its time, and the call waits no longer than its caller does', async () => {
  const files = { 'manifest.yaml': manifestText([obedient()]), 'workers/do/main.mjs': OBEDIENT };
  const { run, host, logged } = await open(files, { times: { ...QUICK, backOffMs: HOUR, longestBackOffMs: HOUR } });
  const starts = (): number => logged.filter(({ what }) => what === 'A worker runs').length;
  expect((await run('local.do', { input: { die: true } })).status).toBe(502);
  await until(() => host.now?.workers[0]?.running === 'waiting');
  const late = await run('local.do', { meta: { deadline_ms: Date.now() + 200 } });
  expect(late).toMatchObject({ status: 504, body: { error: { code: 'TIMEOUT' } } });
  expect(host.now?.workers[0]).toMatchObject({ running: 'waiting', restarts: 0 });
  expect(starts()).toBe(1);
});

it('a call that comes while its worker waits is run when that is back, and a worker that works begins with short waits again', async () => {
  const files = { 'manifest.yaml': manifestText([obedient()]), 'workers/do/main.mjs': OBEDIENT };
  // So long that no probe comes between; doubled each time, nobody would see the end of it.
  const { run, host } = await open(files, { times: { ...QUICK, healthEveryMs: HOUR, longestBackOffMs: HOUR } });
  for (let round = 1; round <= 12; round += 1) {
    expect((await run('local.do')).status).toBe(200);
    expect((await run('local.do', { input: { die: true } })).status).toBe(502);
    await until(() => host.now?.workers[0]?.running !== 'running');
  }
  expect((await run('local.do')).status).toBe(200);
  expect(host.now?.workers[0]?.restarts).toBe(12);
});

it('a job worker is one process a request, and leaves none', async () => {
  const { run, host, running } = await open(
    {
      'manifest.yaml': manifestText([obedient({ kind: 'job_worker', secrets: ['KEY', 'GONE'] })]),
      'workers/do/main.mjs': OBEDIENT,
    },
    { secretOf: (name) => (name === 'KEY' ? 'value of key' : null) },
  );
  const answers = await Promise.all([run('local.do'), run('local.do')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const began = answers.map(({ body }) => (body.output as { began: number }).began);
  expect(answers[0]?.body.output).toMatchObject({ key: expect.any(String) as string });
  const third = await run('local.do');
  expect(began).not.toContain((third.body.output as { began: number }).began);
  expect(host.now?.workers[0]).toMatchObject({ kind: 'job_worker', running: 'stopped' });
  expect(running(), 'each ended with its request').toEqual([]);
});

it('a worker sees its package and nothing of the person’s, and reaches what its list names; what it asked for is on record', async () => {
  const { run, gate, host } = await open({
    'manifest.yaml': manifestText([obedient({ egress_allowlist: ['allowed.invalid:80'] })]),
    'workers/do/main.mjs': OBEDIENT,
  });
  const file = resolve('package.json');
  expect(existsSync(file)).toBe(true);
  const looked = await run('local.do', { input: { read: file } });
  expect(looked.body.output).toMatchObject({ found: false });
  const refused = await run('local.do', { input: { fetch: 'http://refused.invalid/' } });
  expect(refused.body.output).toMatchObject({ status: 403 });
  const [detail] = await detailsOf(gate.dataDir, [refused.body.meta.tool_run_id ?? '']);
  expect(detail).toMatchObject({ confinement: 'network', networkUse: { refused: ['refused.invalid:80'] } });
  expect(host.now?.workers[0]?.isolation?.by).toBe('bubblewrap');
});

it('a worker leaves nothing in the open folder, whatever it writes: no file of its call changed, and none is foreign', async () => {
  const { run, gate } = await open({
    'manifest.yaml': manifestText([obedient()]),
    'workers/do/main.mjs': OBEDIENT,
  });
  writeFileSync(join(gate.workspace, 'README.md'), 'Ours.\n');
  const own = `/tmp/own-of-${basename(gate.workspace)}`;
  const paths = ['README.md', '.envrc', 'docs/NOTES.md'].map((path) => join(gate.workspace, path));
  const answer = await run('local.do', { input: { write: [own, ...paths] } });
  const { wrote } = answer.body.output as { readonly wrote: readonly string[] };
  expect(wrote[0]).toBe('written');
  expect(existsSync(own)).toBe(false);
  expect(readdirSync(gate.workspace)).toEqual(['README.md']);
  expect(readFileSync(join(gate.workspace, 'README.md'), 'utf8')).toBe('Ours.\n');
  const [detail] = await detailsOf(gate.dataDir, [answer.body.meta.tool_run_id ?? '']);
  expect(detail).toMatchObject({ changedFiles: [], changesComplete: true, putAside: [] });
  expect(gate.journal.given.foreignIn(gate.workspace)).toEqual([]);
});

it('a worker that never listens can’t be had, and why is said', async () => {
  const { run, host } = await open({
    'manifest.yaml': manifestText([obedient()]),
    'workers/do/main.mjs': 'console.error("no port for me"); process.exit(3);',
  });
  const answer = await run('local.do');
  expect(answer).toMatchObject({
    status: 502,
    body: { error: { code: 'UPSTREAM_ERROR', details: { code: 'SourceUnavailable' } } },
  });
  expect(host.now?.workers[0]?.problem).not.toBeNull();
});

it('a worker does not reach what policies take from its list, from then on', async () => {
  const server = createServer((_, response) => response.end('reached'));
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  onTestFinished(() => void server.close());
  const there = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { run, host, folder } = await open({
    'manifest.yaml': manifestText([obedient({ egress_allowlist: [there] })]),
    'workers/do/main.mjs': OBEDIENT,
  });
  const reached = async (): Promise<unknown> =>
    ((await run('local.do', { input: { fetch: `http://${there}/` } })).body.output as { status: unknown }).status;
  expect(await reached()).toBe(200);
  writeFileSync(join(folder, 'policies.yaml'), 'egress_allowlist: ["other.invalid:80"]\n');
  await host.look();
  expect(await reached()).toBe(403);
});
