import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { AssistantBlock, ModelMessage, ModelRequest } from '../../domain/ports/conversation/model.js';
import type { ServedProvider } from './provider-table.js';

/** A request in the SDK's words. */
export function callOptions(provider: ServedProvider, request: ModelRequest): LanguageModelV4CallOptions {
  const { system, history, tools, toolChoice, maxOutputTokens, temperature } = request;
  const messages = history.map((message) => messageOf(provider, message));
  return {
    prompt: system === '' ? messages : [{ role: 'system', content: system }, ...messages],
    maxOutputTokens,
    ...(temperature === null ? {} : { temperature }),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf), toolChoice: { type: toolChoice } }),
    // The finer streaming gives arguments that are no JSON where an answer is cut.
    providerOptions: { anthropic: { toolStreaming: false } },
  };
}

type ToolSaid = NonNullable<LanguageModelV4CallOptions['tools']>[number];

const toolOf = ({ name, description, inputSchema }: ModelRequest['tools'][number]): ToolSaid => ({
  type: 'function',
  name,
  description,
  inputSchema,
});

function messageOf(provider: ServedProvider, message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content: message.parts.map((part) =>
          part.kind === 'text'
            ? { type: 'text', text: part.text }
            : { type: 'file', mediaType: part.mediaType, data: { type: 'data', data: part.base64 } },
        ),
      };
    case 'assistant':
      return { role: 'assistant', content: message.blocks.flatMap((block) => blockOf(provider, block)) };
    case 'results':
      return {
        role: 'tool',
        content: message.results.map(({ id, name, content, isError }) => ({
          type: 'tool-result',
          toolCallId: id,
          toolName: name,
          // Only Anthropic has a mark for errors; elsewhere an SDK would pack the words into JSON.
          output: { type: isError && provider === 'anthropic' ? 'error-text' : 'text', value: content },
        })),
      };
  }
}

type AssistantParts = Extract<LanguageModelV4Message, { readonly role: 'assistant' }>['content'];

function blockOf(provider: ServedProvider, block: AssistantBlock): AssistantParts {
  switch (block.kind) {
    case 'text':
      return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    case 'reasoning': {
      // What another provider thought says nothing to this one, and some refuse it.
      const kept = keptFor(provider, block.kept);
      return kept === null ? [] : [{ type: 'reasoning', text: block.text, providerOptions: kept }];
    }
    case 'call': {
      const kept = keptFor(provider, block.kept);
      const call = { type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.arguments } as const;
      return [kept === null ? call : { ...call, providerOptions: kept }];
    }
  }
}

/** The provider options that the readers stored, given back only to the provider that sent them. */
function keptFor(provider: ServedProvider, kept: JsonObject | null): SharedV4ProviderOptions | null {
  if (kept === null || kept['provider'] !== provider) return null;
  const { provider: _of, ...rest } = kept;
  return { [provider]: rest };
}
