import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../domain/tool/tool.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { testFolder } from '../../tests/gate/gate.test-support.js';
import { answerTo } from '../../tests/gate/answers.test-support.js';
import { noteOutput } from '../../tools/builtin/tools.test-support.js';
import { asTold, openPrograms, type Programs } from '../programs.test-support.js';

const READ = 'gatehouse.read_file';
const invoke = (programs: Programs, more: object = {}, agent?: string, signal?: AbortSignal) =>
  programs.post('/v1/tool/invoke', { tool_id: READ, parameters: { path: 'a.txt' }, ...more }, agent, signal);

async function open(options: Parameters<typeof openPrograms>[0] = {}): Promise<Programs> {
  const programs = await openPrograms(options);
  writeFileSync(join(programs.gate.workspace, 'a.txt'), 'hello\n');
  return programs;
}

/** A tool that runs until the test lets it end. */
function held() {
  const ran: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const tool = asTold('held', async ({ text }, { signal }) => {
    ran.push(text);
    await new Promise<void>((end) => {
      void promise.then(end);
      signal.addEventListener('abort', () => end());
    });
    signal.throwIfAborted();
    return noteOutput(text);
  });
  return { ran, tool, end: resolve };
}
const hold = (text: string, more: object = {}) => ({ tool_id: 'test.held', parameters: { text }, ...more });
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
    await expect.poll(() => programs.gate.desk.requests.length).toBe(1);
    const [request] = programs.gate.desk.requests;
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

describe('the same again', () => {
  it('gives the same invocation, and is run once, asked by fifty at the same instant', async () => {
    const { tool, ran, end } = held();
    const programs = await open({ tools: [tool] });
    const key = { execution_options: { idempotency_key: 'k' } };
    const asked = Array.from({ length: 50 }, () => invoke(programs, hold('x', key)));
    await expect.poll(() => ran).toEqual(['x']);
    end();
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.status} ${body.invocation_id}`)).size).toBe(1);
    expect(answers[0]?.body.status).toBe('success');
    expect(ran).toEqual(['x']);
    const after = await invoke(programs, hold('x', key));
    expect([after.body.invocation_id, after.body['result']]).toEqual([answers[0]?.body.invocation_id, { length: 1 }]);
    const other = await invoke(programs, hold('y', key));
    expect([other.status, other.body.error?.code, other.body.error?.details]).toEqual([
      409,
      'idempotency_conflict',
      { code: 'DuplicateToolCallId', e_code: null, call_id: null },
    ]);
    expect(ran).toEqual(['x']);
  });

  it('by its id, too; and holds after a restart', async () => {
    const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
    const invocation_id = randomUUID();
    const before = await open(place);
    const first = await invoke(before, { invocation_id, execution_options: { idempotency_key: 'k' } });
    expect(first.body).toMatchObject({ invocation_id, status: 'success' });
    await before.close();
    const after = await open(place);
    writeFileSync(join(place.workspace, 'a.txt'), 'changed\n');
    for (const more of [{ invocation_id }, { execution_options: { idempotency_key: 'k' } }]) {
      const again = await invoke(after, more);
      expect([again.status, again.body.invocation_id, again.body['result']]).toEqual([
        200,
        invocation_id,
        first.body['result'],
      ]);
    }
    expect((await after.get(`/v1/tool/status/${invocation_id}`)).body).toMatchObject({
      status: 'success',
      result: first.body['result'],
    });
    expect((await invoke(after, { invocation_id, parameters: { path: 'b.txt' } })).status).toBe(409);
  });

  it('is the same by its id in either case, and by the tool’s name', async () => {
    const { tool, ran, end } = held();
    end();
    const programs = await open({ tools: [tool] });
    const invocation_id = randomUUID();
    const key = { execution_options: { idempotency_key: 'k' } };
    const first = await invoke(programs, hold('x', { invocation_id, ...key }));
    expect(first.body).toMatchObject({ invocation_id, status: 'success' });
    for (const more of [{ ...key, tool_id: 'held' }, { invocation_id: invocation_id.toUpperCase() }]) {
      const again = await invoke(programs, hold('x', more));
      expect([again.status, again.body.invocation_id]).toEqual([200, invocation_id]);
    }
    expect((await programs.get(`/v1/tool/status/${invocation_id.toUpperCase()}`)).body.status).toBe('success');
    expect(ran).toEqual(['x']);
    const { body } = await invoke(
      programs,
      hold('y', { execution_options: { async_mode: true, require_approval: true } }),
    );
    expect(body['polling_info']).toMatchObject({ estimated_completion_seconds: 1 });
  });

  it('whoever asks again and leaves takes nothing back', async () => {
    const { tool, ran, end } = held();
    const programs = await open({ tools: [tool] });
    const key = { execution_options: { idempotency_key: 'k' } };
    const first = invoke(programs, hold('x', key));
    await expect.poll(() => ran).toEqual(['x']);
    const leaving = new AbortController();
    const second = invoke(programs, hold('x', key), undefined, leaving.signal).catch(() => null);
    leaving.abort();
    await second;
    end();
    expect((await first).body.status).toBe('success');
  });
});

describe('to others an invocation does not exist', () => {
  it('whoever they are, and by whichever way they look', async () => {
    const programs = await open();
    const invocation_id = randomUUID();
    const context = { agent_did: 'ada', tenant_id: 'acme' };
    const made = await invoke(programs, { invocation_id, agent_context: context }, 'ada');
    expect(made.body).toMatchObject({ invocation_id, status: 'success' });
    const others: readonly (readonly [object | undefined, string | undefined])[] = [
      [undefined, 'bob'],
      [{ agent_did: 'ada', tenant_id: 'acme' }, 'bob'],
      [{ agent_did: 'ada', tenant_id: 'acme' }, undefined],
      [{ agent_did: 'ada' }, 'ada'],
      [{ agent_did: 'ada', tenant_id: 'other' }, 'ada'],
    ];
    for (const [agent_context, agent] of others) {
      const asked = { invocation_id, ...(agent_context === undefined ? {} : { agent_context }) };
      const status = await programs.post('/v1/tool/status', asked, agent);
      expect([status.status, status.body]).toEqual([
        404,
        {
          invocation_id,
          status: 'error',
          error: {
            code: 'invalid_parameters',
            message: 'Not found',
            details: { code: null, e_code: null, call_id: null },
            retryable: false,
          },
        },
      ]);
      const cancel = await programs.post('/v1/tool/cancel', asked, agent);
      expect([cancel.status, cancel.body]).toEqual([404, { invocation_id, cancelled: false, message: 'Not found' }]);
    }
    for (const asked of [{ invocation_id }, { invocation_id, agent_context: context }])
      expect((await programs.post('/v1/tool/status', asked, 'ada')).body.status).toBe('success');
    // An id that is in use by others answers as if it were not, with one of ours.
    const theirs = await invoke(programs, { invocation_id }, 'bob');
    expect([theirs.status, theirs.body.status, theirs.body.invocation_id === invocation_id]).toEqual([
      200,
      'success',
      false,
    ]);
    const again = await invoke(programs, { invocation_id }, 'bob');
    expect(again.body.invocation_id).toBe(theirs.body.invocation_id);
    expect((await programs.get(`/v1/tool/status/${invocation_id}`, 'bob')).body.invocation_id).toBe(
      theirs.body.invocation_id,
    );
  });

  it('an agent’s bearer names itself or nobody', async () => {
    const programs = await open();
    const refused = await invoke(programs, { agent_context: { agent_did: 'bob', tenant_id: '' } }, 'ada');
    expect([refused.status, refused.body.status, refused.body.error?.details['code']]).toEqual([
      200,
      'permission_denied',
      'NotPermitted',
    ]);
    const list = await programs.post('/v1/tool/list', { agent_context: { agent_did: 'bob' } }, 'ada');
    expect(list.body).toMatchObject({ status: 'permission_denied', tools: [] });
    expect((await programs.get('/v1/tool/status/none', 'ada')).status).toBe(404);
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
