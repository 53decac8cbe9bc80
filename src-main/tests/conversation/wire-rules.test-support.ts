import { buildHistory, type HistoryParts } from '../../conversation/history/history.js';
import type { ModelMessage } from '../../domain/ports/conversation/model.js';
import { writeRequest } from '../../conversation/providers/written-request.js';

// What a server refuses, by the rules that each protocol's own documentation gives. What is looked at is the request as it is sent.

interface Block {
  readonly type: 'text' | 'image' | 'tool_use' | 'tool_result' | 'thinking' | 'redacted_thinking';
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}
interface AnthropicBody {
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}
interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content?: string | null | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}
interface ChatBody {
  readonly messages: readonly ChatMessage[];
}
interface GoogleBody {
  readonly contents: readonly {
    readonly role: string;
    readonly parts: readonly {
      readonly text?: string;
      readonly thought?: boolean;
      readonly functionCall?: { readonly name: string };
      readonly functionResponse?: { readonly name: string };
    }[];
  }[];
}

const ID = /^[a-zA-Z0-9_-]+$/u;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/u;
const isBlank = (text: string | undefined): boolean => (text ?? '').trim() === '';

type Sent = 'anthropic' | 'openai' | 'openai-compatible' | 'google';

/** What the servers of these protocols would answer to what is made of a conversation: empty where each takes it. */
export async function refusedBy(kept: HistoryParts): Promise<readonly string[]> {
  const [alternating, asItCame] = [
    buildHistory(kept, { alternating: true }),
    buildHistory(kept, { alternating: false }),
  ];
  const refused = await Promise.all([
    refusedAsSent('anthropic', alternating),
    refusedAsSent('openai', asItCame),
    refusedAsSent('openai-compatible', asItCame),
    refusedAsSent('google', alternating),
  ]);
  return refused.flat();
}

/** The same of one history, as the provider's SDK writes it. */
export async function refusedAsSent(provider: Sent, history: readonly ModelMessage[]): Promise<readonly string[]> {
  const { body } = await writeRequest(
    { provider, baseUrl: 'http://127.0.0.1:9/v1', model: 'gpt-4o' },
    { system: 'You have tools.', history, tools: [], toolChoice: 'auto', maxOutputTokens: 100, temperature: null },
  );
  const sent: unknown = JSON.parse(body);
  if (provider === 'anthropic') return byAnthropic(sent as AnthropicBody);
  return provider === 'google' ? byGoogle(sent as GoogleBody) : byChat(sent as ChatBody);
}

function byAnthropic({ messages }: AnthropicBody): readonly string[] {
  const wrong: string[] = [];
  const used = new Set<string>();
  const say = (at: number, words: string): void => void wrong.push(`anthropic: messages.${at}: ${words}`);
  if (messages.at(-1)?.role !== 'user') say(messages.length - 1, 'the conversation must end with a user message');
  messages.forEach(({ role, content }, at) => {
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) say(at, `roles must alternate, first "user": ${role}`);
    const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (blocks.length === 0) say(at, 'content is empty');
    for (const { type, text } of blocks) if (type === 'text' && isBlank(text)) say(at, 'text must be non-whitespace');
    const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    for (const { id = '', name = '', input } of uses) {
      if (role !== 'assistant') say(at, 'tool_use in a user message');
      if (!ID.test(id)) say(at, `tool_use.id: ${id}`);
      if (!NAME.test(name)) say(at, `tool_use.name: ${name}`);
      if (typeof input !== 'object' || input === null || Array.isArray(input))
        say(at, 'tool_use.input must be an object');
      if (used.has(id)) say(at, `tool_use ids must be unique: ${id}`);
      used.add(id);
    }
    const next = messages[at + 1]?.content ?? [];
    const answered = (typeof next === 'string' ? [] : next).map(({ tool_use_id }) => tool_use_id);
    // First in the message, one each, in order.
    uses.forEach(({ id }, index) => {
      if (answered[index] !== id) say(at, `tool_use ${id ?? ''} without its tool_result right after`);
    });
    const before = messages[at - 1]?.content ?? [];
    const asked = new Set((typeof before === 'string' ? [] : before).map(({ id }) => id));
    const results = blocks.filter(({ type }) => type === 'tool_result');
    for (const result of results) {
      if (!asked.has(result.tool_use_id))
        say(at, `tool_result without a tool_use before it: ${result.tool_use_id ?? ''}`);
      if (result.content === '' || result.content === undefined) say(at, 'tool_result is empty');
    }
    if (new Set(results.map(({ tool_use_id }) => tool_use_id)).size !== results.length)
      say(at, 'two results of one call');
  });
  return wrong;
}

function byChat({ messages }: ChatBody): readonly string[] {
  const wrong: string[] = [];
  const used = new Set<string>();
  const say = (at: number, words: string): void => void wrong.push(`chat: messages.${at}: ${words}`);
  let open: readonly string[] = [];
  messages.forEach((message, at) => {
    if ((message.role === 'system') !== (at === 0)) say(at, 'the system message stands first, and once');
    if (message.role === 'tool') {
      if (message.tool_call_id !== open[0])
        say(at, `a tool message must answer the calls before it, in order: ${message.tool_call_id ?? ''}`);
      open = open.slice(1);
      if (typeof message.content !== 'string' || message.content === '') say(at, 'an empty tool message');
      return;
    }
    if (open.length > 0) say(at, `tool_calls without a response: ${open.join()}`);
    open = [];
    const texts =
      typeof message.content === 'string'
        ? [message.content]
        : (message.content ?? []).flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : []));
    const calls = message.tool_calls ?? [];
    if (
      calls.length === 0 &&
      (message.content === null || message.content === undefined || message.content.length === 0)
    )
      say(at, 'content is empty');
    if (calls.length === 0 && texts.some(isBlank)) say(at, 'blank text');
    for (const { id, function: called } of calls) {
      if (!ID.test(id) || id.length > 40) say(at, `tool_calls id: ${id}`);
      if (!NAME.test(called.name)) say(at, `tool_calls name: ${called.name}`);
      if (used.has(id)) say(at, `tool_calls ids must be unique: ${id}`);
      used.add(id);
      JSON.parse(called.arguments);
    }
    open = calls.map(({ id }) => id);
  });
  if (open.length > 0) say(messages.length, `tool_calls without a response: ${open.join()}`);
  return wrong;
}

function byGoogle({ contents }: GoogleBody): readonly string[] {
  const wrong: string[] = [];
  const say = (at: number, words: string): void => void wrong.push(`google: contents.${at}: ${words}`);
  contents.forEach(({ role, parts }, at) => {
    const before = contents[at - 1];
    // The turn of functions stands for itself: the user's may follow.
    const isAfterFunctions = before?.parts.some(({ functionResponse }) => functionResponse !== undefined) ?? false;
    if (
      role !== (before?.role === 'user' && !isAfterFunctions ? 'model' : 'user') &&
      !(role === 'model' && isAfterFunctions)
    )
      say(at, `turns must alternate, first "user": ${role}`);
    if (parts.length === 0) say(at, 'parts are empty');
    for (const part of parts)
      if (part.text !== undefined && part.thought !== true && isBlank(part.text)) say(at, 'blank text');
    const called = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall.name]));
    const answered = (contents[at + 1]?.parts ?? []).flatMap(({ functionResponse }) =>
      functionResponse === undefined ? [] : [functionResponse.name],
    );
    if (called.join() !== (called.length === 0 ? '' : answered.join()))
      say(at, `function calls and responses differ: ${called.join()} / ${answered.join()}`);
    for (const name of called) if (!NAME.test(name)) say(at, `functionCall.name: ${name}`);
  });
  return wrong;
}
