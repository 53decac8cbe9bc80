import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { answerTo } from '../../tests/gate/answers.test-support.js';
import { ToolFailure, type Tool } from '../../domain/tool/tool.js';
import { asTold, openPrograms, type Programs } from '../programs.test-support.js';

interface Sum {
  readonly a: number;
  readonly b: number;
}

/** The seed's example. */
const calculator = (): Tool<unknown> => {
  const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema', additionalProperties: false };
  const number = Type.Number({ description: 'A number.' });
  const base = asTold('unused', () => Promise.reject(new Error('unused')), {
    id: 'calculator.add',
    name: 'calculator_add',
    idempotent: true,
    inputSchema: Type.Object(
      {
        a: number,
        b: number,
        round: Type.Optional(Type.Enum(['up', 'down'], { type: 'string', description: 'How.' })),
      },
      dialect,
    ) as never,
    outputSchema: Type.Object({ sum: Type.Number({ description: 'Both.' }) }, dialect) as never,
  });
  return {
    ...base,
    parse: (args) => args,
    summary: () => 'Add',
    execute: (args) => {
      const { a, b } = args as Sum;
      if (a < 0) throw new ToolFailure({ code: 'ResourceExhausted', message: 'Too small.', limit: 'a' });
      const sum = { sum: a + b };
      return Promise.resolve({ ...NOTHING, content: JSON.stringify(sum), structured: sum });
    },
  };
};
const NOTHING = {
  allowTruncation: false,
  outputBytes: 0,
  outputBytesLeftOut: 0,
  storedOutputs: [],
  changedFiles: [],
  confinement: null,
  resources: { cpuMs: 3, peakMemoryBytes: 4096 },
};

const message = (tool: object = {}, more: { readonly header?: object; readonly payload?: object } = {}) => ({
  header: {
    version: '1.0',
    messageId: 'm-1',
    timestamp: '2025-03-21T10:00:00Z',
    messageType: 'request',
    source: 'client-id',
    destination: 'mcp-server',
    ...more.header,
  },
  payload: {
    tool: { id: 'calculator', capability: 'add', parameters: { a: 2, b: 3 }, ...tool },
    context: { session_id: 's', request_id: 'r', user_id: 'u' },
    security: { token: '', permissions: [] },
    ...more.payload,
  },
});
const open = (options: Parameters<typeof openPrograms>[0] = {}): Promise<Programs> =>
  openPrograms({ tools: [calculator()], ...options });
const execute = (programs: Programs, body: unknown, signal?: AbortSignal) =>
  programs.post('/v1/execute', body, undefined, signal);
const executionIn = ({ body }: { readonly body: unknown }) =>
  (body as { readonly payload: { readonly execution: Readonly<Record<string, unknown>> } }).payload.execution;

describe('POST /v1/execute', () => {
  it('is the seed’s calculator, end to end', async () => {
    const programs = await open();
    const answer = await execute(programs, message());
    expect(answer).toEqual({
      status: 200,
      body: {
        header: {
          version: '1.0',
          messageId: expect.stringMatching(/^[0-9a-f-]{36}$/u),
          timestamp: expect.stringMatching(/Z$/u),
          messageType: 'response',
          requestId: 'm-1',
          source: 'gatehouse',
          destination: 'client-id',
        },
        payload: {
          tool: { id: 'calculator', capability: 'add' },
          execution: {
            status: 'success',
            result: { sum: 5 },
            execution_time_ms: expect.any(Number),
            resource_usage: { memory_bytes: 4096, cpu_time_ms: 3 },
            warnings: [],
          },
        },
      },
    });
    const calls = (await programs.get('/v1/calls')).body['calls'] as readonly object[];
    expect(calls).toMatchObject([
      { toolId: 'calculator.add', tool: 'calculator_add', door: 'gateway', client: 'client-id', outcome: 'success' },
    ]);
    const { callId } = calls[0] as { readonly callId: string };
    expect((await programs.get(`/v1/tool/status/${callId}`)).body).toMatchObject({
      status: 'success',
      result: { sum: 5 },
    });
  });

  it.each([
    [
      'a missing parameter',
      message({ parameters: { a: 1 } }),
      'ValidationError',
      '/payload/tool/parameters/b',
      'Add “b”',
      'BadArgs',
    ],
    [
      'a wrong type',
      message({ parameters: { a: 'x', b: 1 } }),
      'ValidationError',
      '/payload/tool/parameters/a',
      '“a”',
      'BadArgs',
    ],
    [
      'a wrong value',
      message({ parameters: { a: 1, b: 1, round: 'off' } }),
      'ValidationError',
      '/payload/tool/parameters/round',
      '"up", "down"',
      'BadArgs',
    ],
    [
      'an unknown parameter',
      message({ parameters: { a: 1, b: 1, c: 1 } }),
      'ValidationError',
      '/payload/tool/parameters/c',
      'Leave “c” out',
      'BadArgs',
    ],
    [
      'no tool',
      message({ id: 'calculater' }),
      'NotFoundError',
      null,
      'tool “calculator” with capability “add”',
      'UnknownTool',
    ],
    ['no capability', message({ capability: 'ad' }), 'NotFoundError', null, 'has a capability “add”', 'UnknownTool'],
    ['an id that is none', message({ id: 7 }), 'NotFoundError', '/payload/tool/id', 'id', 'UnknownTool'],
    [
      'a version',
      message({}, { header: { version: '2.0' } }),
      'ValidationError',
      '/header/version',
      'version',
      'BadArgs',
    ],
    [
      'a type',
      message({}, { header: { messageType: 'response' } }),
      'ValidationError',
      '/header/messageType',
      'messageType',
      'BadArgs',
    ],
    [
      'no messageId',
      message({}, { header: { messageId: undefined } }),
      'ValidationError',
      '/header/messageId',
      'Add “messageId”',
      'BadArgs',
    ],
    [
      'no time',
      message({}, { header: { timestamp: 'now' } }),
      'ValidationError',
      '/header/timestamp',
      'timestamp',
      'BadArgs',
    ],
    [
      'a token',
      message({}, { payload: { security: { token: 't' } } }),
      'SecurityError',
      '/payload/security/token',
      'token',
      'NotPermitted',
    ],
    [
      'too few permissions',
      message({}, { payload: { security: { permissions: ['other'] } } }),
      'SecurityError',
      '/payload/security/permissions',
      'permissions',
      'NotPermitted',
    ],
    ['a limit', message({ parameters: { a: -1, b: 1 } }), 'ResourceError', null, 'Ask for less', 'ResourceExhausted'],
  ])('says what is wrong, where, and what to do: %s', async (_what, body, code, parameter, words, ours) => {
    const answer = await execute(await open(), body);
    expect(answer.status).toBe(200);
    const execution = executionIn(answer);
    expect(execution).toMatchObject({
      status: 'failure',
      error: { code, details: { parameter, suggestion: expect.stringContaining(words), code: ours } },
      resource_usage: { memory_bytes: expect.any(Number), cpu_time_ms: expect.any(Number) },
    });
    expect(execution).not.toHaveProperty('result');
  });

  it('goes by the seed’s order: that there is such a tool comes before what its caller may', async () => {
    const programs = await open();
    const security = { token: 't', permissions: ['x'] };
    const codeOf = async (tool: object): Promise<unknown> =>
      (
        executionIn(await execute(programs, message(tool, { payload: { security } })))['error'] as {
          readonly code: string;
        }
      ).code;
    expect([await codeOf({ id: 'nobody' }), await codeOf({ parameters: {} }), await codeOf({})]).toEqual([
      'NotFoundError',
      'ValidationError',
      'SecurityError',
    ]);
  });

  it('has what its tool needs in the list of permissions, where there is one', async () => {
    const programs = await open();
    const answer = await execute(
      programs,
      message({}, { payload: { security: { permissions: ['filesystem.read', 'x'] } } }),
    );
    expect(executionIn(answer)['status']).toBe('success');
  });

  it.each([
    ['not json', ''],
    [[], ''],
    [null, ''],
    [{ payload: {} }, '/header'],
    [{ header: {}, payload: { tool: [] } }, '/header/version'],
    [{ header: 'x', payload: { tool: {} } }, '/header'],
  ])('says 400 with an envelope where there is no message: %j', async (body, parameter) => {
    const programs = await open();
    const answer = await programs.post('/v1/execute', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      header: { messageType: 'response', requestId: null },
      payload: { execution: { status: 'failure', error: { code: 'ValidationError', details: { parameter } } } },
    });
  });

  it('waits for the person, whose denial is a SecurityError; what they turned off likewise', async () => {
    const config = defaultConfig({ approval: { denylist: ['calculator.*'] } });
    const off = await open({ config });
    expect(executionIn(await execute(off, message()))['error']).toMatchObject({
      code: 'SecurityError',
      details: { code: 'Denylisted' },
    });
    const programs = await open();
    const asked = execute(
      programs,
      message({ id: 'gatehouse', capability: 'write_file', parameters: { path: 'new.txt', content: 'new\n' } }),
    );
    await expect.poll(() => programs.gate.sheets().length).toBe(1);
    programs.gate.read();
    const [request] = programs.gate.sheets();
    if (request !== undefined) await programs.gate.desk.decide(answerTo(request, 'deny-all'));
    expect(executionIn(await asked)['error']).toMatchObject({
      code: 'SecurityError',
      details: { code: 'DeniedByPerson', e_code: null },
    });
  });

  it('whoever leaves takes the call back', async () => {
    const ran: string[] = [];
    const held = asTold('held', async ({ text }, { signal }) => {
      ran.push(text);
      await new Promise<void>((end) => signal.addEventListener('abort', () => end()));
      throw new Error('stopped');
    });
    const programs = await open({ tools: [held] });
    const leaving = new AbortController();
    const asked = execute(
      programs,
      message({ id: 'test', capability: 'held', parameters: { text: 'x' } }),
      leaving.signal,
    ).catch(() => null);
    await expect.poll(() => ran).toEqual(['x']);
    leaving.abort();
    await asked;
    await expect
      .poll(
        async () =>
          ((await programs.get('/v1/calls')).body['calls'] as readonly { readonly outcome: string }[])[0]?.outcome,
      )
      .toBe('cancelled');
  });
});
