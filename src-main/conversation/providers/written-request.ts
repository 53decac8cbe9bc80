import { isDeepStrictEqual } from 'node:util';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ModelRequest } from '../../domain/ports/conversation/model.js';
import { callOptions } from './prompt.js';
import type { ServedProvider } from './provider-table.js';

export interface WrittenRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ServedBy {
  readonly provider: ServedProvider;
  readonly baseUrl: string;
  readonly model: string;
}

/** Never sent: without one the SDKs would take a key from the environment. `outside/` puts in the real one, for its address alone. */
const NO_KEY = 'put in by the client';
const SENT = new Set(['content-type', 'accept', 'anthropic-version', 'anthropic-beta']);

/**
 * The request in the provider's own words, written by its SDK. It stops at the SDK's `fetch`: what is sent, and what comes
 * back, is ours (`outside/`, the readers).
 */
export async function writeRequest(served: ServedBy, request: ModelRequest): Promise<WrittenRequest> {
  const model = await lastModelOf(served);
  try {
    await model.doStream(callOptions(served.provider, request));
  } catch (error) {
    if (!(error instanceof SentBody)) throw error;
    const { url, init } = error;
    return {
      url: url instanceof Request ? url.url : url.toString(),
      headers: Object.fromEntries([...new Headers(init?.headers)].filter(([name]) => SENT.has(name))),
      body: bodyOf(served.provider, typeof init?.body === 'string' ? init.body : '{}'),
    };
  }
  throw new Error('The SDK wrote no request.');
}

/** Not an error: the request is there. */
class SentBody extends Error {
  readonly url: string | URL | Request;
  readonly init: RequestInit | undefined;

  constructor(url: string | URL | Request, init?: RequestInit) {
    super('The request is written.');
    this.url = url;
    this.init = init;
  }
}

/**
 * The last model object, cached: it holds nothing but its name and address, and takes longer to make than a request to
 * write.
 */
let last: { readonly served: ServedBy; readonly model: LanguageModelV4 } | null = null;

async function lastModelOf(served: ServedBy): Promise<LanguageModelV4> {
  if (last !== null && isDeepStrictEqual(last.served, served)) return last.model;
  const model = await modelOf(served);
  last = { served, model };
  return model;
}

/** The SDKs are loaded with the first message: they take longer than the window. */
async function modelOf({ provider, baseUrl, model }: ServedBy): Promise<LanguageModelV4> {
  const take = (...asked: ConstructorParameters<typeof SentBody>) => Promise.reject(new SentBody(...asked));
  const settings = { baseURL: baseUrl.replace(/\/+$/u, ''), apiKey: NO_KEY, fetch: take };
  switch (provider) {
    case 'anthropic':
      return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model);
    case 'openai':
      return (await import('@ai-sdk/openai')).createOpenAI(settings).chat(model);
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(settings)(model);
    case 'openai-compatible':
    case 'ollama': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({ ...settings, name: provider, includeUsage: true })(model);
    }
  }
}

/** OpenAI takes one name of the limit for every model; its SDK writes the older one for some. */
function bodyOf(provider: ServedProvider, text: string): string {
  const { max_tokens, ...body } = JSON.parse(text) as JsonObject;
  if (provider !== 'openai' || max_tokens === undefined) return text;
  return JSON.stringify({ ...body, max_completion_tokens: max_tokens });
}
