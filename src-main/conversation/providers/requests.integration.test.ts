import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelRequest } from '../../domain/ports/conversation/model.js';
import {
  type ModelRequestSeen,
  type ModelServer,
  startModelServer,
} from '../../tests/model-server/model-server.test-support.js';
import type { ServedProvider } from './provider-table.js';
import { askModel, KEY, REQUEST } from './providers.test-support.js';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
  server.otherwise(() => ({ blocks: [{ text: 'ok' }] }));
});
afterAll(() => server.close());

const FULL: ModelRequest = {
  ...REQUEST,
  history: [
    {
      role: 'user',
      parts: [
        { kind: 'text', text: 'Look' },
        { kind: 'picture', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
      ],
    },
    {
      role: 'assistant',
      blocks: [
        { kind: 'reasoning', text: 'Hm', kept: { provider: 'anthropic', signature: 'c2ln' } },
        { kind: 'reasoning', text: '', kept: { provider: 'anthropic', redactedData: 'c2VhbGVk' } },
        { kind: 'text', text: 'I look.' },
        { kind: 'call', id: 'a', name: 'read_file', arguments: { path: 'x' }, kept: null },
        { kind: 'call', id: 'b', name: 'read_file', arguments: {}, kept: null },
      ],
    },
    {
      role: 'results',
      results: [
        { id: 'a', name: 'read_file', content: 'it', isError: false },
        { id: 'b', name: 'read_file', content: 'The user denied this call.', isError: true },
      ],
    },
    { role: 'user', parts: [{ kind: 'text', text: 'Next' }] },
  ],
};

async function sent(provider: ServedProvider, request = FULL): Promise<ModelRequestSeen> {
  await askModel(provider, server, { request });
  const seen = server.requests.at(-1);
  if (seen === undefined) throw new Error('Nothing was sent.');
  return seen;
}

test('Anthropic: its headers, its blocks in their order, results in one message of the user', async () => {
  const { path, headers, body } = await sent('anthropic');
  expect(path).toBe('/v1/messages');
  expect(headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
  expect(headers.authorization).toBeUndefined();
  expect(body).toMatchObject({
    model: 'scripted-1',
    max_tokens: 1000,
    stream: true,
    system: [{ type: 'text', text: 'Use the tools.' }],
    tool_choice: { type: 'auto' },
    tools: [{ name: 'read_file', description: 'Reads a file.', input_schema: { required: ['path'] } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
          { type: 'redacted_thinking', data: 'c2VhbGVk' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'x' } },
          { type: 'tool_use', id: 'b', name: 'read_file', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a' },
          { type: 'tool_result', tool_use_id: 'b', is_error: true },
          { type: 'text', text: 'Next' },
        ],
      },
    ],
  });
  expect(JSON.stringify(body)).not.toMatch(/temperature|eager_input_streaming|"thinking":\{/u);
});

test.each(['openai', 'openai-compatible', 'ollama'] as const)(
  '%s: bearer, one message a result, system first',
  async (provider) => {
    const { path, headers, body } = await sent(provider);
    expect(path).toBe('/v1/chat/completions');
    expect(headers.authorization).toBe(`Bearer ${KEY}`);
    expect(headers['x-api-key']).toBeUndefined();
    expect(body).toMatchObject({
      model: 'scripted-1',
      stream: true,
      stream_options: { include_usage: true },
      tool_choice: 'auto',
      tools: [{ type: 'function', function: { name: 'read_file' } }],
    });
    const [limit, other] =
      provider === 'openai' ? ['max_completion_tokens', 'max_tokens'] : ['max_tokens', 'max_completion_tokens'];
    expect(body[limit]).toBe(1000);
    expect(body).not.toHaveProperty(other);
    expect(body).not.toHaveProperty('temperature');
    const messages = body['messages'] as ReadonlyArray<Record<string, unknown>>;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'user']);
    expect(messages[1]?.['content']).toMatchObject([
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ]);
    expect(messages[2]?.['tool_calls']).toMatchObject([
      { id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"x"}' } },
      { id: 'b', type: 'function', function: { name: 'read_file', arguments: '{}' } },
    ]);
    expect(messages.slice(3, 5)).toMatchObject([
      { tool_call_id: 'a', content: 'it' },
      { tool_call_id: 'b', content: 'The user denied this call.' },
    ]);
    // Another provider's thoughts are not this one's.
    expect(JSON.stringify(messages)).not.toContain('Hm');
  },
);

test('Google: its own words, and the key in its own header', async () => {
  const { path, headers, body } = await sent('google');
  expect(path).toBe('/v1/models/scripted-1:streamGenerateContent?alt=sse');
  expect(headers).toMatchObject({ 'x-goog-api-key': KEY });
  expect(body).toMatchObject({
    generationConfig: { maxOutputTokens: 1000 },
    systemInstruction: { parts: [{ text: 'Use the tools.' }] },
  });
  expect(JSON.stringify(body)).toContain('functionResponse');
});

test('A tool choice of none goes with the same tools; a temperature goes where it is set', async () => {
  const request: ModelRequest = { ...FULL, toolChoice: 'none', temperature: 0 };
  expect((await sent('anthropic', request)).body).toMatchObject({
    tool_choice: { type: 'none' },
    tools: [{ name: 'read_file' }],
    temperature: 0,
  });
  expect((await sent('openai-compatible', request)).body).toMatchObject({
    tool_choice: 'none',
    tools: [{ function: { name: 'read_file' } }],
    temperature: 0,
  });
  const google = (await sent('google', request)).body;
  expect(JSON.stringify(google)).toContain('"mode":"NONE"');
  expect(JSON.stringify(google)).toContain('read_file');
});

test('Anthropic gets one message where two of one role stand in a row', async () => {
  const text = (words: string) => ({ kind: 'text', text: words }) as const;
  const request: ModelRequest = {
    ...REQUEST,
    history: [
      { role: 'user', parts: [text('a')] },
      { role: 'user', parts: [text('b')] },
      { role: 'assistant', blocks: [text('c')] },
      { role: 'assistant', blocks: [text(''), text('d')] },
      { role: 'user', parts: [text('e')] },
    ],
  };
  const messages = (await sent('anthropic', request)).body['messages'] as ReadonlyArray<{
    readonly role: string;
    readonly content: ReadonlyArray<{ readonly text: string }>;
  }>;
  expect(messages.map(({ role, content }) => `${role}: ${content.map((part) => part.text).join('')}`)).toEqual([
    'user: ab',
    'assistant: cd',
    'user: e',
  ]);
});

test('A key of the environment is never taken unasked', async () => {
  const names = [
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'ANTHROPIC_BASE_URL',
    'OPENAI_BASE_URL',
  ];
  for (const name of names) process.env[name] = 'http://127.0.0.1:9/taken-from-the-environment';
  try {
    for (const provider of ['anthropic', 'openai', 'google'] as const)
      expect(JSON.stringify(await sent(provider))).not.toContain('taken-from');
  } finally {
    for (const name of names) delete process.env[name];
  }
});
