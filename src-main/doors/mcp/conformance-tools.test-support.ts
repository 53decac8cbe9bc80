import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Server,
  ServerContext,
  Tool,
} from '@modelcontextprotocol/server';
import type { Json } from '#contract/vocabulary/json.js';
import type { McpExtension } from './mcp-server.js';

/**
 * The tools that the official conformance suite calls. A fixture: it does nothing of Gatehouse's and bypasses the gate.
 */
export const conformanceExtension = (): McpExtension => ({
  capabilities: { completions: {}, resources: { subscribe: true } },
  tools: Object.entries(TOOLS).map(([name, { description, inputSchema }]) => ({ name, description, inputSchema })),
  call: async (name, given, context, server) => {
    const result = await TOOLS[name]?.run((given ?? {}) as Readonly<Record<string, Json>>, context, server);
    if (result === undefined) throw new Error(`There is no test tool ${name}.`);
    return result;
  },
  install,
});

interface TestTool {
  readonly description: string;
  readonly inputSchema: Tool['inputSchema'];
  readonly run: (
    args: Readonly<Record<string, Json>>,
    context: ServerContext,
    server: Server,
  ) => CallToolResult | Promise<CallToolResult>;
}

/** The image is one red pixel; the sound is the shortest valid WAV. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (content: string): ContentBlock => ({ type: 'text', text: content });
const image: ContentBlock = { type: 'image', data: PNG, mimeType: 'image/png' };
const resource = (uri: string, mimeType: string, content: string): ContentBlock => ({
  type: 'resource',
  resource: { uri, mimeType, text: content },
});
const nothing: Tool['inputSchema'] = { type: 'object', properties: {} };
const one = (name: string): Tool['inputSchema'] => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});
const answers = (description: string, ...content: ContentBlock[]): TestTool => ({
  description,
  inputSchema: nothing,
  run: () => ({ content }),
});

async function elicit(
  context: ServerContext,
  message: string,
  requestedSchema: unknown,
  words: string,
): Promise<CallToolResult> {
  // On the stream of the call itself: the client may not have opened its other one yet.
  const { action, content } = await context.mcpReq.send({
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema },
  });
  return { content: [text(`${words}: action=${action}, content=${JSON.stringify(content ?? {})}`)] };
}

const TOOLS: Readonly<Record<string, TestTool>> = {
  test_simple_text: answers('Simple text.', text('This is a simple text response for testing.')),
  test_image_content: answers('An image.', image),
  test_audio_content: answers('Audio.', { type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: answers(
    'An embedded resource.',
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: answers(
    'Several kinds of content.',
    text('Multiple content types test:'),
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  test_error_handling: {
    description: 'Always fails.',
    inputSchema: nothing,
    run: () => ({ isError: true, content: [text('This tool intentionally returns an error for testing')] }),
  },
  test_tool_with_logging: {
    description: 'Logs while it runs.',
    inputSchema: nothing,
    run: async (_args, context) => {
      await context.mcpReq.log('info', 'Tool execution started');
      await sleep(50);
      await context.mcpReq.log('info', 'Tool processing data');
      await sleep(50);
      await context.mcpReq.log('info', 'Tool execution completed');
      return { content: [text('Logged three times.')] };
    },
  },
  test_tool_with_progress: {
    description: 'Reports progress while it runs.',
    inputSchema: nothing,
    run: async (_args, context) => {
      const { _meta: meta } = context.mcpReq;
      for (const progress of [0, 50, 100]) {
        const progressToken = meta?.progressToken;
        if (progressToken !== undefined)
          await context.mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100 },
          });
        await sleep(50);
      }
      return { content: [text('Progress reported.')] };
    },
  },
  test_sampling: {
    description: 'Asks the client’s model.',
    inputSchema: one('prompt'),
    run: async ({ prompt }, context) => {
      const { content } = await context.mcpReq.send({
        method: 'sampling/createMessage',
        params: {
          messages: [{ role: 'user', content: { type: 'text', text: typeof prompt === 'string' ? prompt : '' } }],
          maxTokens: 100,
        },
      });
      return { content: [text(`LLM response: ${JSON.stringify(content)}`)] };
    },
  },
  test_elicitation: {
    description: 'Asks the client’s user.',
    inputSchema: one('message'),
    run: ({ message }, context) =>
      elicit(
        context,
        typeof message === 'string' ? message : '',
        {
          type: 'object',
          properties: {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          },
          required: ['username', 'email'],
        },
        'User response',
      ),
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks with defaults.',
    inputSchema: nothing,
    run: (_args, context) =>
      elicit(
        context,
        'Please review the values',
        {
          type: 'object',
          properties: {
            name: { type: 'string', default: 'John Doe' },
            age: { type: 'integer', default: 30 },
            score: { type: 'number', default: 95.5 },
            status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
            verified: { type: 'boolean', default: true },
          },
        },
        'Elicitation completed',
      ),
  },
  test_elicitation_sep1330_enums: {
    description: 'Asks with every kind of choice.',
    inputSchema: nothing,
    run: (_args, context) =>
      elicit(
        context,
        'Please choose',
        {
          type: 'object',
          properties: {
            untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
            titledSingle: { type: 'string', oneOf: titled('value', 'Option') },
            legacyEnum: {
              type: 'string',
              enum: ['opt1', 'opt2', 'opt3'],
              enumNames: ['Option One', 'Option Two', 'Option Three'],
            },
            untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
            titledMulti: { type: 'array', items: { anyOf: titled('value', 'Choice') } },
          },
        },
        'Elicitation completed',
      ),
  },
  json_schema_2020_12_tool: {
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    run: () => ({ content: [text('Taken.')] }),
  },
};

function titled(value: string, title: string): object[] {
  return ['First', 'Second', 'Third'].map((nth, at) => ({ const: `${value}${at + 1}`, title: `${nth} ${title}` }));
}

function install(server: Server): void {
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [], total: 0, hasMore: false } }));
  server.setRequestHandler('resources/list', () => ({
    resources: [
      { uri: 'test://static-text', name: 'static-text', description: 'Static text.', mimeType: 'text/plain' },
      { uri: 'test://static-binary', name: 'static-binary', description: 'A static image.', mimeType: 'image/png' },
      { uri: 'test://watched-resource', name: 'watched-resource', description: 'Watched.', mimeType: 'text/plain' },
    ],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] };
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined)
      return { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }] };
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text: data }] };
  });
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { description, needs }]) => ({
      name,
      description,
      arguments: needs.map((each) => ({ name: each, description: `The ${each}.`, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    const prompt = PROMPTS[name];
    if (prompt === undefined) throw new Error(`There is no prompt ${name}.`);
    return { messages: prompt.say(given).map((content) => ({ role: 'user', content })) } satisfies GetPromptResult;
  });
}

interface TestPrompt {
  readonly description: string;
  readonly needs: readonly string[];
  readonly say: (given: Readonly<Record<string, string>>) => readonly ContentBlock[];
}

const PROMPTS: Readonly<Record<string, TestPrompt>> = {
  test_simple_prompt: {
    description: 'A simple prompt.',
    needs: [],
    say: () => [text('This is a simple prompt for testing.')],
  },
  test_prompt_with_arguments: {
    description: 'A prompt with arguments.',
    needs: ['arg1', 'arg2'],
    say: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: 'A prompt with a resource in it.',
    needs: ['resourceUri'],
    say: ({ resourceUri = '' }) => [
      resource(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    description: 'A prompt with an image in it.',
    needs: [],
    say: () => [image, text('Please analyze the image above.')],
  },
};
