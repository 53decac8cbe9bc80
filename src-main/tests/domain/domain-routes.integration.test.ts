import { expect, it } from 'vitest';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { reads } from '../gate/gate-tools.test-support.js';
import { answerTo } from '../gate/answers.test-support.js';
import { detailsOf } from '../gate/call-details.test-support.js';
import { AGENT_TOKEN, manifestText, openDomainGate, remoteTool } from './domain-gate.test-support.js';
import { answer, echoes, metaOf, startWorker } from './worker-server.test-support.js';

async function allCalls(dataDir: string): Promise<readonly (readonly [string, string | null])[]> {
  const { service } = openServiceReader(dataDir);
  const { calls } = await service.page({ limit: 50, before: null, filter: {} });
  service.close();
  return calls.map(({ tool, code }) => [tool, code] as const);
}

const input = {
  type: 'object',
  properties: { a: { type: 'number' } },
  required: ['a'],
  additionalProperties: false,
};

it('the routes serve identity, catalog and schemas, sorted, as the seed has them', async () => {
  const worker = await startWorker(echoes);
  const { get } = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([
        remoteTool(worker.url, { tool_id: 'example.b', timeout_sec: undefined }),
        remoteTool(worker.url, {
          tool_id: 'example.a',
          display_name: 'A',
          description: 'Does a.',
          capabilities: ['x'],
          timeout_sec: 60,
          egress_allowlist: ['api.example.com:443'],
          input_schema_ref: 'schemas/in.json',
        }),
      ]),
      'policies.yaml': 'default_timeout_sec: 7\n',
      'schemas/in.json': JSON.stringify(input),
    },
  });
  expect(await get('/v1/domain')).toEqual({ status: 200, body: { domain_id: 'example', version: '0.1' } });
  expect((await get('/v1/tools')).body).toEqual({
    domain_id: 'example',
    version: '0.1',
    tools: [
      {
        tool_id: 'example.a',
        display_name: 'A',
        description: 'Does a.',
        capabilities: ['x'],
        timeout_sec: 60,
        egress_allowlist: ['api.example.com:443'],
        transport_type: 'http',
        transport_endpoint: '/run',
        input_schema_ref: '/v1/schemas/example.a/input',
        output_schema_ref: null,
      },
      {
        tool_id: 'example.b',
        display_name: 'example.b',
        description: '',
        capabilities: [],
        timeout_sec: 7,
        egress_allowlist: [],
        transport_type: 'http',
        transport_endpoint: '/run',
        input_schema_ref: null,
        output_schema_ref: null,
      },
    ],
  });
  expect(await get('/v1/schemas/example.a/input')).toEqual({ status: 200, body: input });
  expect((await get('/v1/schemas/example.a/output')).status).toBe(404);
  expect((await get('/v1/schemas/example.c/input')).status).toBe(404);
});

it('without a package every route of the domain is NoDomain', async () => {
  const { get, run } = await openDomainGate({ files: { 'manifest.yaml': 'tools: 3' } });
  for (const path of ['/v1/domain', '/v1/tools', '/v1/schemas/a.b/input'])
    expect(await get(path)).toMatchObject({ status: 404, body: { error: { code: 'NoDomain' } } });
  expect(await run('a.b')).toMatchObject({ status: 404, body: { error: { code: 'NoDomain' } } });
  expect(await run('a.b', '{')).toMatchObject({ status: 404, body: { error: { code: 'NoDomain' } } });
});

it('a route runs a tool: the envelope both ways, the trace, the deadline, and a call on record', async () => {
  const worker = await startWorker(echoes);
  const domain = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) },
    noFolder: true,
  });
  const began = Date.now();
  const ran = await domain.run('example.echo', { input: { a: 1 }, meta: { trace_id: 'mine' } });
  expect(ran).toMatchObject({
    status: 200,
    body: { ok: true, meta: { trace_id: 'mine' }, output: { said: { a: 1 } } },
  });
  const [asked] = worker.asked;
  const { tool_run_id: callId } = ran.body.meta;
  expect(asked).toMatchObject({
    path: '/run',
    meta: { trace_id: 'mine', tool_run_id: callId, domain_id: 'example' },
    input: { a: 1 },
  });
  expect(asked?.headers['traceparent']).toBeUndefined();
  expect(asked?.meta.deadline_ms).toBeGreaterThanOrEqual(began + 20_000);
  expect(asked?.meta.deadline_ms).toBeLessThanOrEqual(Date.now() + 20_000);
  const [row] = await detailsOf(domain.gate.dataDir, [callId ?? '']);
  expect(row).toMatchObject({ callId, tool: 'example__echo', toolId: 'example.echo', door: 'gateway' });
  const traced = await domain.run(
    'example.echo',
    {},
    { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  );
  expect(traced.body.meta.trace_id).toBe('0af7651916cd43dd8448eb211c80319c');
  expect(worker.asked[1]?.headers['traceparent']).toMatch(
    /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/u,
  );
  expect(worker.asked[1]?.input, 'a missing input').toEqual({});
  const broken = await domain.run('example.echo', {}, { traceparent: '00-zz-b7ad6b7169203331-01' });
  expect(broken.status).toBe(200);
  expect(broken.body.meta.trace_id).toMatch(/^[0-9a-f]{32}$/u);
  expect(worker.asked[2]?.headers['traceparent']).toBeUndefined();
});

it('what is no request is recorded nowhere; an unknown tool is; what can’t be an id is no path', async () => {
  const worker = await startWorker(echoes);
  const { run, gate } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  for (const body of ['{', '[]', '{"input":[]}', '{"meta":{"deadline_ms":"soon"}}', '{"meta":{"trace_id":7}}']) {
    expect(await run('example.echo', body), body).toMatchObject({
      status: 400,
      body: {
        ok: false,
        meta: { tool_run_id: null },
        error: { code: 'VALIDATION_ERROR', retryable: false, details: { callId: null } },
      },
    });
  }
  const stands = await run('example.echo', '{"input":3,"meta":{"trace_id":"kept"}}');
  expect(stands.body.meta.trace_id).toBe('kept');
  // What can't be read at all is told in the envelope too, and what the header says stands.
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const unreadable: readonly [string, string | Uint8Array<ArrayBuffer>][] = [
    ['is not JSON', '{'],
    ['is not UTF-8', new Uint8Array([...Buffer.from('{"input":{"a":"'), 0xe9, ...Buffer.from('"}}')])],
    ['may be nested', `{"input":{"a":${'['.repeat(6000)}${']'.repeat(6000)}}}`],
  ];
  for (const [why, body] of unreadable) {
    const answered = await run('example.echo', body, { traceparent });
    expect(answered, why).toMatchObject({
      status: 400,
      body: {
        ok: false,
        meta: { trace_id: '0af7651916cd43dd8448eb211c80319c', tool_run_id: null },
        error: { code: 'VALIDATION_ERROR', retryable: false, details: { code: 'BadArgs', callId: null } },
      },
    });
    expect(answered.body.error?.message).toContain(why);
  }
  expect(await allCalls(gate.dataDir)).toEqual([]);
  for (const id of ['example.none', 'gatehouse.read_file', 'example__echo.x']) {
    const unknown = await run(id);
    expect(unknown, id).toMatchObject({
      status: 404,
      body: { ok: false, error: { code: 'VALIDATION_ERROR', details: { code: 'UnknownTool', e_code: 'E3001' } } },
    });
    expect(unknown.body.meta.tool_run_id).toBe(unknown.body.error?.details['callId']);
  }
  expect(await allCalls(gate.dataDir)).toEqual([
    ['example__echo.x', 'UnknownTool'],
    ['gatehouse.read_file', 'UnknownTool'],
    ['example.none', 'UnknownTool'],
  ]);
  for (const body of [undefined, 'no JSON', '[]'])
    expect(await run('nodots', body)).toMatchObject({ status: 404, body: { error: { code: 'NotFound' } } });
  expect(worker.asked).toEqual([]);
});

it('an agent that recorded too much is told when to come back, and nothing is asked', async () => {
  const worker = await startWorker(echoes);
  const { run } = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) },
    recordedTooMuch: { why: 'It recorded too much.', retrySeconds: 7 },
  });
  const asAgent = { authorization: `Bearer ${AGENT_TOKEN}` };
  const refused = await run('example.echo', { input: { a: 1 } }, asAgent);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'LimitsExceeded' } } });
  expect(worker.asked).toEqual([]);
  expect(await run('example.echo', { input: { a: 1 } })).toMatchObject({ status: 200 });
});

it('the least counts of the tool’s limit and the caller’s deadline, however far or broken that one is', async () => {
  const worker = await startWorker(echoes);
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  const soon = Date.now() + 10_000.75;
  for (const deadline of [soon, 2 ** 60, 1e300])
    expect(await run('example.echo', { meta: { deadline_ms: deadline } })).toMatchObject({ status: 200 });
  const [first, ...others] = worker.asked.map(({ meta }) => meta.deadline_ms);
  expect(first).toBe(Math.floor(soon));
  for (const other of others) expect(other).toBeLessThanOrEqual(Date.now() + 20_000);
  expect(await run('example.echo', { meta: { deadline_ms: 0 } })).toMatchObject({
    status: 504,
    body: { error: { code: 'TIMEOUT', details: { code: 'Timeout' } } },
  });
  expect(worker.asked).toHaveLength(3);
});

it('bad input and too large input are the caller’s', async () => {
  const worker = await startWorker(echoes);
  const { run } = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([remoteTool(worker.url, { input_schema_ref: 'in.json' })]),
      'in.json': JSON.stringify(input),
    },
  });
  const bad = await run('example.echo', { input: { a: 'x' } });
  expect(bad).toMatchObject({
    status: 400,
    body: { error: { code: 'VALIDATION_ERROR', retryable: false, details: { code: 'BadArgs' } } },
  });
  const large = await run('example.echo', { input: { a: 1, b: 'x'.repeat(300_000) } });
  expect(large).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR', retryable: false } } });
  expect(worker.asked).toEqual([]);
});

it('an output of any size and kind is given whole, without its secrets', async () => {
  const outputs: unknown[] = [
    'x'.repeat(600_000),
    [1, null],
    'text',
    null,
    { token: 'ghp_0123456789abcdefABCDEF0123456789abcd' },
  ];
  const worker = await startWorker((asked, response) =>
    answer(response, { ok: true, meta: metaOf(asked), output: outputs[asked.input['at'] as number] }),
  );
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  for (const at of [0, 1, 2, 3])
    expect((await run('example.echo', { input: { at } })).body).toMatchObject({ ok: true, output: outputs[at] });
  expect(JSON.stringify((await run('example.echo', { input: { at: 4 } })).body)).not.toContain('ghp_0123');
});

it('a worker’s own error is told without its secrets, and its output and error without what no terminal should get', async () => {
  const secret = 'ghp_0123456789abcdefABCDEF0123456789abcd';
  const worker = await startWorker((asked, response) =>
    answer(
      response,
      asked.input['fails'] === true
        ? {
            ok: false,
            meta: metaOf(asked),
            error: { code: 'INTERNAL', message: `With ${secret}`, retryable: false, details: { at: [secret] } },
          }
        : { ok: true, meta: metaOf(asked), output: { 'a\u001b[2Jb': ['c\u0007'] } },
    ),
  );
  const { run } = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
  const failed = await run('example.echo', { input: { fails: true } });
  expect(failed.body.error).toMatchObject({ message: expect.stringMatching(/^With /u) as string });
  expect(JSON.stringify(failed.body)).not.toContain('ghp_0123');
  const given = await run('example.echo', { input: {} });
  expect(given.body.ok).toBe(true);
  expect(JSON.stringify(given.body)).not.toMatch(/\\u001b|\\u0007/u);
});

it('the routes run the tools of the domain and no others, whatever is registered; an error says what only Gatehouse knows', async () => {
  const worker = await startWorker((asked, response) =>
    answer(response, {
      ok: false,
      meta: metaOf(asked),
      error: {
        code: 'INTERNAL',
        message: 'No.',
        retryable: false,
        details: { code: 'Cancelled', callId: 'another', e_code: 'E0', more: 1 },
      },
    }),
  );
  const domain = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) },
    tools: [reads()],
  });
  expect(await domain.run(reads().declaration.id, { input: { text: 'x' } })).toMatchObject({
    status: 404,
    body: { error: { details: { code: 'UnknownTool' } } },
  });
  const { body } = await domain.run('example.echo');
  expect(body.error?.details).toEqual({
    code: 'ExecutionFailed',
    callId: body.meta.tool_run_id,
    e_code: 'E3304',
    more: 1,
  });
  const long = await domain.run('example.echo', { input: 3, meta: { trace_id: 'x'.repeat(300) } });
  expect([long.status, long.body.meta.trace_id.length]).toEqual([400, 32]);
});

it('a tool that says so asks a person, and a rule for its id lets it run', async () => {
  const worker = await startWorker(echoes);
  const domain = await openDomainGate({
    files: { 'manifest.yaml': manifestText([remoteTool(worker.url, { requires_approval: undefined, risk: 'high' })]) },
  });
  const asked = domain.run('example.echo');
  const request = await new Promise<ApprovalRequest>((resolve) => {
    const look = (): void => {
      const [first] = domain.gate.sheets();
      if (first === undefined) setImmediate(look);
      else resolve(first);
    };
    look();
  });
  expect(request.calls[0]).toMatchObject({ risk: 'high', tool: 'example__echo' });
  expect(request.calls[0]?.terms.map(({ words }) => words)).toEqual([
    `Sent to ${new URL(worker.url).host}`,
    'Runs elsewhere, can’t be undone',
  ]);
  domain.gate.read();
  await domain.gate.desk.decide(answerTo(request, 'deny-all'));
  expect(await asked).toMatchObject({
    status: 403,
    body: { error: { code: 'VALIDATION_ERROR', retryable: false, details: { code: 'DeniedByPerson' } } },
  });
  const late = await domain.run('example.echo', { meta: { deadline_ms: Date.now() + 50 } });
  expect(late).toMatchObject({
    status: 504,
    body: { error: { code: 'TIMEOUT', retryable: false, details: { code: 'Timeout' } } },
  });
  domain.gate.config = {
    ...domain.gate.config,
    tools: {
      ...domain.gate.config.tools,
      approval: { ...domain.gate.config.tools.approval, confirmed: [{ tool: 'example.echo' }] },
    },
  };
  await domain.gate.configChanged();
  expect((await domain.run('example.echo')).status).toBe(200);
});

it('who waits while the gateway stops still hears how it ended', async () => {
  const worker = await startWorker(() => undefined);
  const domain = await openDomainGate({
    files: {
      'manifest.yaml': manifestText([remoteTool(worker.url)]),
      'policies.yaml': 'concurrency: {per_tool: {default: 1}}\n',
    },
  });
  const waiting = [domain.run('example.echo'), domain.run('example.echo')];
  while (worker.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const stopped = domain.stopServing();
  for (const answered of await Promise.all(waiting))
    expect(answered).toMatchObject({
      status: 500,
      body: { ok: false, error: { code: 'INTERNAL', retryable: false, details: { code: 'Cancelled' } } },
    });
  await stopped;
  const [row] = await detailsOf(domain.gate.dataDir, [(await waiting[0])?.body.meta.tool_run_id ?? '']);
  expect(row).toMatchObject({ code: 'Cancelled', outcome: 'cancelled' });
});

it.each(['cancel', 'keep'] as const)(
  'a caller that leaves before its run is over: %s, as the settings say',
  async (leaves) => {
    const held = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const worker = await startWorker(async (asked, response) => {
      response.once('close', left.resolve);
      await held.promise;
      answer(response, { ok: true, meta: metaOf(asked), output: 1 });
    });
    const domain = await openDomainGate({ files: { 'manifest.yaml': manifestText([remoteTool(worker.url)]) } });
    const { gate } = domain;
    gate.config = { ...gate.config, gateway: { ...gate.config.gateway, when_client_leaves: leaves } };
    const gone = new AbortController();
    const asked = fetch(`${domain.url}/v1/tools/example.echo:run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${domain.token}`, 'content-type': 'application/json' },
      body: '{}',
      signal: gone.signal,
    }).catch(() => undefined);
    while (worker.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    await asked;
    const callId = worker.asked[0]?.meta.tool_run_id ?? '';
    if (leaves === 'cancel') await left.promise;
    else held.resolve();
    const seen = () => gate.journal.invocations.read(callId);
    await expect.poll(() => seen()?.result).not.toBeNull();
    expect(seen()?.failure?.code).toBe(leaves === 'cancel' ? 'Cancelled' : undefined);
    held.resolve();
  },
);
