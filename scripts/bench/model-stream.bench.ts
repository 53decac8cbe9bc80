import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { callOptions } from '../../src-main/conversation/providers/prompt.js';
import { PROVIDERS } from '../../src-main/conversation/providers/provider-table.js';
import { createServedModel } from '../../src-main/conversation/providers/served-model.js';
import type { ModelRequest } from '../../src-main/domain/ports/conversation/model.js';
import { createOutside } from '../../src-main/outside/outside-client.js';
import { startModelServer } from '../../src-main/tests/model-server/model-server.test-support.js';
import { type Compare, timed } from './harness.js';

const TOKENS = 2000;
const REQUEST: ModelRequest = {
  system: 'Be short.',
  history: [{ role: 'user', parts: [{ kind: 'text', text: 'Count.' }] }],
  tools: [],
  toolChoice: 'auto',
  maxOutputTokens: 8192,
  temperature: null,
};
const KEY = 'a-key';

/** One streamed answer: our client and readers beside the bare SDK, on the same stream of the same server. */
export async function run(compare: Compare): Promise<void> {
  await using server = await startModelServer();
  server.otherwise(() => ({ blocks: [{ text: 'word '.repeat(TOKENS) }], piece: 5 }));
  const outside = createOutside({ secret: () => KEY, variable: () => null });
  const bare: Readonly<Record<'anthropic' | 'openai-compatible', LanguageModelV4>> = {
    anthropic: createAnthropic({ baseURL: server.baseUrl, apiKey: KEY })('m'),
    'openai-compatible': createOpenAICompatible({
      baseURL: server.baseUrl,
      apiKey: KEY,
      name: 'x',
      includeUsage: true,
    })('m'),
  };
  for (const provider of ['anthropic', 'openai-compatible'] as const) {
    const { keyHeader: header, keyPrefix: prefix } = PROVIDERS[provider];
    const key = { header, prefix, from: 'secret:x', boundTo: server.baseUrl, asker: 'model' };
    const ours = createServedModel(
      { provider, baseUrl: server.baseUrl, model: 'm' },
      { outside, key: () => key, now: () => Date.now() },
    );
    const signal = new AbortController().signal;
    await compare({
      name: `One of ${TOKENS} streamed tokens, ${provider}`,
      unit: 'µs',
      subject: {
        name: 'client and readers',
        sample: async () => {
          let tokens = 0;
          const ms = await timed(async () => {
            for await (const event of ours.answer(REQUEST, signal)) if (event.type === 'text') tokens += 1;
          });
          return perToken(ms, tokens);
        },
      },
      peer: {
        name: 'the bare SDK',
        sample: async () => {
          let tokens = 0;
          const ms = await timed(async () => {
            const { stream } = await bare[provider].doStream(callOptions(provider, REQUEST));
            for await (const part of stream as AsyncIterable<{ readonly type: string }>)
              if (part.type === 'text-delta') tokens += 1;
          });
          return perToken(ms, tokens);
        },
      },
      samples: 15,
      goal: { atMost: 1.3 },
    });
  }
  outside.close();
}

function perToken(ms: number, tokens: number): number {
  if (tokens !== TOKENS) throw new Error(`${tokens} tokens came.`);
  return (ms * 1000) / TOKENS;
}
