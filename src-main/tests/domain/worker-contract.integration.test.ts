import { expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { CallOptions } from '../../domain/call/call-options.js';
import { manifestText, openDomainGate, remoteTool } from './domain-gate.test-support.js';
import { bad, BROKEN, ok, says, text } from './broken-workers.test-support.js';
import { answer, startWorker } from './worker-server.test-support.js';

const schema = { type: 'object', properties: { count: { type: 'integer' } } };

it('forty-four workers that break the contract: each is told for what it did, once, and nobody else is hurt', async () => {
  expect(BROKEN.length).toBeGreaterThanOrEqual(40);
  const worker = await startWorker((asked, response, request) => {
    const at = asked.input['at'] as number;
    if (at === -1) return answer(response, ok(asked));
    return BROKEN[at]?.[1](asked, response, request);
  });
  const domain = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([
        remoteTool(worker.url, { timeout_sec: 3, output_schema_ref: 'out.json', side_effecting: true }),
      ]),
      'out.json': JSON.stringify({ anyOf: [schema, { type: ['string', 'number', 'array'] }] }),
      'policies.yaml': 'concurrency: {global: 60, per_tool: {default: 60}}\n',
    },
  });
  const answers = await Promise.all(BROKEN.map((_each, at) => domain.run('example.echo', { input: { at } })));
  let misfits = 0;
  for (const [at, [what, , [status, code, retryable, own]]] of BROKEN.entries()) {
    const { body, status: said } = answers[at] ?? expect.fail();
    expect(
      [said, body.error?.code, body.error?.retryable, body.error?.details['code']],
      `${what}: ${body.error?.message}`,
    ).toEqual([status, code, retryable, own]);
    expect(body.meta.tool_run_id).toBe(body.error?.details['callId']);
    const isMisfit = body.error?.message.includes('does not fit its schema') === true;
    if (isMisfit) misfits += 1;
    if (own === 'OutputInvalid') expect(body.error?.details['e_code'], what).toBe(isMisfit ? 'E3501' : 'E3308');
    expect(
      worker.asked.filter(({ input }) => input['at'] === at),
      `${what}: asked once`,
    ).toHaveLength(1);
  }
  expect(misfits).toBeGreaterThan(0);
  expect((await domain.run('example.echo', { input: { at: -1 } })).status).toBe(200);
});

it.each([
  ['UPSTREAM_ERROR', 502],
  ['VALIDATION_ERROR', 400],
  ['TIMEOUT', 504],
  ['INTERNAL', 500],
] as const)('a worker’s own %s is told as it said it, whatever its status and type', async (code, status) => {
  const worker = await startWorker(
    (asked, response) =>
      void response
        .writeHead(asked.input['status'] as number, { 'content-type': 'text/html' })
        .end(
          JSON.stringify(
            bad(asked, { code, retryable: status === 400, message: 'As I said.', details: { at: 3 } }, { more: 1 }),
          ),
        ),
  );
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  for (const said of [200, 418, 503])
    expect(await run('example.echo', { input: { status: said } })).toMatchObject({
      status,
      body: {
        error: { code, message: 'As I said.', retryable: status === 400, details: { at: 3, code: 'ExecutionFailed' } },
      },
    });
});

it('an answer may be all that is within the contract: no duration, more fields, any status', async () => {
  const worker = await startWorker(
    says(
      (asked) => ({
        ok: true,
        more: [1],
        meta: { trace_id: asked.meta.trace_id, tool_run_id: asked.meta.tool_run_id, x: 1 },
        output: 2 ** 53,
      }),
      500,
    ),
  );
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  const ran = await run('example.echo');
  expect(ran).toMatchObject({ status: 200, body: { ok: true, output: 2 ** 53 } });
  expect(ran.body.meta.duration_ms).toBeGreaterThanOrEqual(0);
});

it('a worker that answers twice is believed once, and its second answer reaches nobody', async () => {
  const worker = await startWorker((asked, response) => {
    const body = text(asked);
    const one = `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    response.socket?.write(one + one);
  });
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  const answers = await Promise.all(Array.from({ length: 6 }, () => run('example.echo')));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.meta.tool_run_id)).size).toBe(6);
});

it('the caller’s deadline is passed on, and kept', async () => {
  const worker = await startWorker(() => undefined);
  const { run } = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool(worker.url, { idempotent: true })]) },
  });
  const deadline = Date.now() + 1500;
  const late = await run('example.echo', { meta: { deadline_ms: deadline } });
  expect(worker.asked[0]?.meta.deadline_ms).toBe(deadline);
  expect(late).toMatchObject({
    status: 504,
    body: { error: { code: 'TIMEOUT', retryable: true, details: { code: 'Timeout', e_code: 'E3103' } } },
  });
  expect(await run('example.echo', { meta: { deadline_ms: 1 } })).toMatchObject({
    status: 504,
    body: { error: { code: 'TIMEOUT' } },
  });
  expect(worker.asked).toHaveLength(1);
});

it('a worker that nobody can reach is UPSTREAM_ERROR', async () => {
  const { run } = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool('http://127.0.0.1:9')]) },
  });
  expect(await run('example.echo')).toMatchObject({
    status: 502,
    body: {
      error: { code: 'UPSTREAM_ERROR', retryable: true, details: { code: 'SourceUnavailable', e_code: 'E3101' } },
    },
  });
});

const wanting = (timeoutMs: number): CallOptions => ({
  versions: '*',
  priority: 'normal',
  mustAsk: false,
  detached: false,
  limits: { timeoutMs },
});

it('a shorter time that the caller asks for is told to the worker and holds; more than the tool may have is refused', async () => {
  const worker = await startWorker((asked, response) => {
    if (asked.input['silent'] !== true) answer(response, ok(asked));
  });
  const { gate } = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool(worker.url, { timeout_sec: 20 })]) },
  });
  const ask = async (args: JsonObject, timeoutMs: number) => {
    const { calls } = gate.submit([], {
      calls: [{ requestId: null, tool: 'example__echo', arguments: args, wanted: wanting(timeoutMs) }],
    });
    return (await calls[0]?.settled) ?? expect.fail();
  };
  const before = Date.now();
  expect((await ask({}, 2000)).failure).toBeNull();
  expect(worker.asked[0]?.meta.deadline_ms).toBeGreaterThanOrEqual(before);
  expect(worker.asked[0]?.meta.deadline_ms).toBeLessThanOrEqual(Date.now() + 2000);
  expect((await ask({ silent: true }, 300)).failure).toMatchObject({ code: 'Timeout', eCode: 'E3103' });
  expect((await ask({}, 20_000)).failure).toBeNull();
  expect((await ask({}, 20_001)).failure).toMatchObject({ code: 'LimitsExceeded', eCode: 'E3102' });
  expect(worker.asked).toHaveLength(3);
});

it('what runs elsewhere is sent once, though it may be done twice and said nothing in its time', async () => {
  const worker = await startWorker(() => undefined);
  const { run } = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([
        remoteTool(worker.url, { timeout_sec: 1, idempotent: true, side_effecting: false }),
      ]),
    },
  });
  expect(await run('example.echo')).toMatchObject({
    status: 504,
    body: { error: { code: 'TIMEOUT', retryable: true } },
  });
  expect(worker.asked).toHaveLength(1);
});
