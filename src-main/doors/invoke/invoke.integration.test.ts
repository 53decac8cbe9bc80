import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../domain/tool/tool.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { answerTo } from '../../tests/gate/answers.test-support.js';
import { noteOutput } from '../../tools/builtin/tools.test-support.js';
import { asTold } from '../programs.test-support.js';
import { READ, invoke, open, held, hold } from './invoke.test-support.js';

const ASYNC = { execution_options: { async_mode: true } };

describe('POST /v1/tool/invoke', () => {
  it('answers with every field of the seed, by id and by name', async () => {
    const programs = await open();
    const invocation_id = randomUUID();
    const { status, body } = await invoke(programs, {
      invocation_id,
      agent_context: { agent_did: 'x', tenant_id: 't', user_did: 'u' },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      invocation_id,
      status: 'success',
      error: null,
      checkpoint_ref: null,
      polling_info: null,
      warnings: [],
      result: { path: 'a.txt', bytes: 6, text: 'hello\n' },
      execution_metadata: {
        duration_ms: expect.any(Number),
        started_at: expect.stringMatching(/Z$/u),
        completed_at: expect.stringMatching(/Z$/u),
        cpu_used_millicore_seconds: 0,
        memory_peak_mb: 0,
        network_bytes_sent: 0,
        network_bytes_received: 0,
        documents_accessed: [],
        checkpoints_created: [],
        unknown: ['cpu_used_millicore_seconds', 'memory_peak_mb', 'network_bytes_sent', 'network_bytes_received'],
      },
    });
    const call = await programs.get(`/v1/calls/${invocation_id}`);
    expect(call.body).toMatchObject({
      callId: invocation_id,
      tool: 'read_file',
      toolId: READ,
      door: 'gateway',
      client: 'x',
      agent: null,
    });
    expect((await invoke(programs, { tool_id: 'read_file', tool_version: '^1.0' })).body.status).toBe('success');
    expect(programs.reported).toEqual([]);
  });

  it.each([
    ['a tool that is none', { tool_id: 'gatehouse.nothing' }, 'error', 'tool_not_found', 'UnknownTool', 'E3001'],
    ['a version that is none', { tool_version: '9.0.0' }, 'error', 'tool_version_not_found', 'UnknownTool', 'E3002'],
    ['a range with nothing in it', { tool_version: '^9' }, 'error', 'tool_version_not_found', 'UnknownTool', 'E3006'],
    ['a missing parameter', { parameters: {} }, 'error', 'invalid_parameters', 'BadArgs', null],
    [
      'a path outside',
      { parameters: { path: '../x' } },
      'permission_denied',
      'permission_denied',
      'PathOutsideSandbox',
      null,
    ],
    ['a missing file', { parameters: { path: 'no' } }, 'error', 'tool_execution_error', 'ExecutionFailed', null],
    ['a token', { capability_token: 'x.y.z' }, 'permission_denied', 'permission_denied', 'NotPermitted', 'E3201'],
    [
      'documents',
      { document_context: { document_refs: ['doc://a'] } },
      'error',
      'document_not_found',
      'ExecutionFailed',
      'E3601',
    ],
    [
      'a checkpoint',
      { checkpoint_config: { resume_from_checkpoint_id: 'c' } },
      'error',
      'resume_failed',
      'ExecutionFailed',
      'E3702',
    ],
    [
      'more time than it may have',
      { resource_limits: { timeout_seconds: 100_000 } },
      'error',
      'resource_exhausted',
      'LimitsExceeded',
      'E3102',
    ],
  ])('tells of %s in the body, and it is on record', async (_what, more, status, code, ours, eCode) => {
    const programs = await open();
    const answer = await invoke(programs, more);
    expect([answer.status, answer.body.status, answer.body.error?.code]).toEqual([200, status, code]);
    const details = answer.body.error?.details ?? {};
    expect(details).toMatchObject({ code: ours, e_code: eCode, call_id: answer.body.invocation_id });
    expect((await programs.get(`/v1/calls/${String(details['call_id'])}`)).body).toMatchObject({
      code: ours,
      e_code: eCode,
    });
  });

  it('names the fields that a schema failed at', async () => {
    const programs = await open();
    const { body } = await invoke(programs, { parameters: { start: 'x' } });
    const fields = (body.error?.details['fields'] ?? []) as readonly {
      readonly field: string;
      readonly message: string;
    }[];
    expect(fields).toContainEqual({ field: '/path', message: 'is missing' });
  });

  it.each([
    ['JSON', '{', 'not JSON'],
    ['types', '{"tool_id":1,"parameters":{}}', '/tool_id'],
    ['a UUID', '{"tool_id":"a.b","parameters":{},"invocation_id":"x"}', '/invocation_id'],
    ['no parameters', '{"tool_id":"gatehouse.list_directory"}', 'parameters'],
    ['parameters that are null', '{"tool_id":"gatehouse.list_directory","parameters":null}', '/parameters'],
    ['a range', '{"tool_id":"a.b","parameters":{},"tool_version":"newest"}', 'is no range'],
    ['a key', '{"tool_id":"a.b","parameters":{},"execution_options":{"idempotency_key":""}}', 'idempotency_key'],
    ['limits', '{"tool_id":"a.b","parameters":{},"resource_limits":{"timeout_seconds":0}}', 'timeout_seconds'],
    ['a priority', '{"tool_id":"a.b","parameters":{},"execution_options":{"priority":"urgent"}}', 'priority'],
  ])('says 400 where there is no request at all: %s', async (_what, body, words) => {
    const programs = await open();
    const response = await fetch(`${programs.url}/v1/tool/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${programs.token()}` },
      body,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      status: 'error',
      error: {
        code: 'invalid_parameters',
        message: expect.stringContaining(words),
        details: { code: 'BadArgs', call_id: null },
      },
    });
  });

  it('tells what adds nothing, and what could not be enforced', async () => {
    const programs = await open();
    const { body } = await invoke(programs, {
      document_context: { query: 'q' },
      resource_limits: { cpu_millicore_limit: 5, network_bandwidth_mbps: 1 },
    });
    expect(body.status).toBe('success');
    expect(body['warnings']).toEqual([
      expect.stringContaining('cpu_millicore_limit'),
      expect.stringContaining('network_bandwidth_mbps'),
      expect.stringContaining('document_context.query'),
    ]);
  });

  it('tells an async call by its true status: by its end where it is settled by then', async () => {
    const programs = await open();
    const refused = await invoke(programs, { tool_id: 'no.such', ...ASYNC });
    expect([refused.status, refused.body.status, refused.body['polling_info']]).toEqual([200, 'error', null]);
    const read = await invoke(programs, ASYNC);
    const isOver = read.body.status === 'success';
    expect([read.status, read.body['result'] !== null, read.body['polling_info'] === null]).toEqual([
      isOver ? 200 : 202,
      isOver,
      isOver,
    ]);
  });

  it('waits a bounded time; then it says where to ask, and the call goes on', async () => {
    const { tool, end } = held();
    const base = defaultConfig();
    const programs = await open({
      tools: [tool],
      config: { ...base, invoke: { ...base.invoke, sync_wait_seconds: 1 } },
    });
    const { status, body } = await invoke(programs, hold('x'));
    expect([status, body.status]).toEqual([202, 'running']);
    const { status_url: url } = body['polling_info'] as { readonly status_url: string };
    expect(url).toBe(`${programs.url}/v1/tool/status/${body.invocation_id}`);
    end();
    const polled = await programs.get(`/v1/tool/status/${body.invocation_id}?wait=30`);
    expect([polled.status, polled.body.status, polled.body['result']]).toEqual([200, 'success', { length: 1 }]);
  });

  it('whoever leaves takes a call back that was not answered, and never an async one', async () => {
    const { tool, ran } = held();
    const programs = await open({ tools: [tool] });
    const leaving = new AbortController();
    const invocation_id = randomUUID();
    const asked = invoke(programs, hold('sync', { invocation_id }), undefined, leaving.signal).catch(() => null);
    await expect.poll(() => ran).toEqual(['sync']);
    leaving.abort();
    await asked;
    expect((await programs.get(`/v1/tool/status/${invocation_id}?wait=30`)).body.status).toBe('cancelled');
    const later = await invoke(programs, hold('async', ASYNC));
    expect(later.status).toBe(202);
    await expect.poll(() => ran).toEqual(['sync', 'async']);
    const cancelled = await programs.post('/v1/tool/cancel', { invocation_id: later.body.invocation_id });
    expect(cancelled.body).toEqual({
      invocation_id: later.body.invocation_id,
      cancelled: true,
      message: 'Cancellation in progress',
    });
    await expect
      .poll(async () => (await programs.get(`/v1/tool/status/${later.body.invocation_id}`)).body.status)
      .toBe('cancelled');
    const again = await programs.post('/v1/tool/cancel', { invocation_id: later.body.invocation_id });
    expect([again.status, again.body['cancelled'], again.body['message']]).toEqual([200, false, 'Already completed']);
  });

  it('asks where it is wanted, or has to; that waits as pending_approval', async () => {
    const programs = await open();
    const asked = await invoke(programs, { execution_options: { require_approval: true, async_mode: true } });
    expect([asked.status, asked.body.status]).toEqual([202, 'pending_approval']);
    await expect.poll(() => programs.gate.sheets().length).toBe(1);
    const [request] = programs.gate.sheets();
    programs.gate.read();
    if (request !== undefined) await programs.gate.desk.decide(answerTo(request, 'approve-all'));
    expect((await programs.get(`/v1/tool/status/${asked.body.invocation_id}?wait=30`)).body.status).toBe('success');
    const waits = await invoke(programs, { execution_options: { require_approval: true, async_mode: true } });
    const taken = await programs.post('/v1/tool/cancel', { invocation_id: waits.body.invocation_id });
    expect(taken.body).toMatchObject({ cancelled: true, message: 'Cancelled' });
  });

  it('tells progress and phase, and a wait ends with a change of them', async () => {
    const base = asTold('far', () => Promise.reject(new Error('unused')), {
      nature: 'remote',
      takesBack: 'never',
      requiredCapabilities: ['upstream'],
    } as never);
    const tool: typeof base = {
      ...base,
      execute: async (_args, context) => {
        if (!('onProgress' in context)) throw new Error('It runs elsewhere.');
        let percent = 0;
        const telling = setInterval(() => context.onProgress({ percent: (percent += 1), phase: 'parsing' }), 20);
        await new Promise<void>((end) => context.signal.addEventListener('abort', () => end()));
        clearInterval(telling);
        return noteOutput('x');
      },
    };
    const programs = await open({ tools: [tool] });
    const { body } = await invoke(programs, { tool_id: 'test.far', parameters: { text: 'x' }, ...ASYNC });
    const status = (more: string) => programs.get(`/v1/tool/status/${body.invocation_id}${more}`);
    await expect.poll(async () => (await status('')).body['current_phase']).toBe('parsing');
    const before = (await status('')).body['progress_percent'] as number;
    const after = (await status('?wait=30')).body;
    expect(after).toMatchObject({ status: 'running', current_phase: 'parsing', latest_checkpoint: null });
    expect(after['progress_percent']).toBeGreaterThan(before);
    await programs.post('/v1/tool/cancel', { invocation_id: body.invocation_id });
  });
});

describe('POST /v1/tool/list', () => {
  it('gives pages of what programs may call, filtered, searched', async () => {
    const programs = await open({
      tools: Array.from({ length: 30 }, (_, at) => asTold(`tool_${at}`, async ({ text }) => noteOutput(text))),
    });
    const list = (body: object) => programs.post('/v1/tool/list', body);
    const first = await list({});
    expect(first.body).toMatchObject({ total_count: 32, page: 1, page_size: 20 });
    expect(first.body['tools']).toHaveLength(20);
    const second = await list({ pagination: { page: 2, page_size: 20 } });
    expect(second.body['tools']).toHaveLength(12);
    expect((await list({ pagination: { page: 9 } })).body).toMatchObject({ tools: [], total_count: 32 });
    const ours = await list({ filters: { source: 'gatehouse' } });
    expect(ours.body['tools']).toMatchObject([
      {
        tool_id: 'gatehouse.read_file',
        tool_name: 'read_file',
        latest_version: '1.0.0',
        versions: ['1.0.0'],
        deprecation: [],
        category: '',
        tags: [],
        requires_approval: false,
      },
      {},
    ]);
    expect((await list({ filters: { tags: ['x'] } })).body['tools']).toEqual([]);
    expect((await list({ filters: { state: 'active' } })).body['total_count']).toBe(32);
    const found = await list({ capability_query: 'read a file' });
    expect((found.body['tools'] as object[])[0]).toMatchObject({
      tool_id: 'gatehouse.read_file',
      score: expect.any(Number),
    });
    expect((await list({ capability_query: '' })).body['tools']).toEqual([]);
    for (const pagination of [{ page: 0 }, { page_size: 101 }, { page_size: 0 }, { page: 1.5 }])
      expect((await list({ pagination })).status).toBe(400);
    expect((await list({ capability_query: 'x'.repeat(4001) })).status).toBe(400);
  });
});

it('a tool that breaks, and one that fails, are told in the body', async () => {
  const breaks = asTold('breaks', () => Promise.reject(new Error('secret of ours')));
  const stale = asTold('stale', () =>
    Promise.reject(new ToolFailure({ code: 'StaleFile', message: 'old', file: 'f' })),
  );
  const slow = asTold(
    'slow',
    (_args, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('x')))),
    { idempotent: true },
  );
  const programs = await open({ tools: [breaks, stale, slow] });
  const of = (name: string, more = {}) =>
    invoke(programs, { tool_id: `test.${name}`, parameters: { text: 'x' }, ...more });
  const broken = await of('breaks');
  expect(broken.body).toMatchObject({
    status: 'error',
    error: { code: 'internal_error', details: { code: 'Internal' }, retryable: false },
  });
  expect(JSON.stringify(broken.body)).not.toContain('secret of ours');
  expect((await of('stale')).body).toMatchObject({
    status: 'error',
    error: { code: 'tool_execution_error', details: { code: 'StaleFile' } },
  });
  const late = await of('slow', { resource_limits: { timeout_seconds: 0.05 } });
  expect(late.body).toMatchObject({
    status: 'timeout',
    error: { code: 'timeout', details: { e_code: 'E3103' }, retryable: true },
  });
});
