import type { StoredBlock, StoredMessage } from '../../domain/conversation/message.js';
import type { RecordedCallResult, ResultPresentation } from '../../domain/ports/conversation/conversation-record.js';
import type { AssistantBlock, ModelMessage, ModelResult } from '../../domain/ports/conversation/model.js';
import { CallIds, nameInHistory } from './call-ids.js';
import { partsGiven } from './person-parts.js';
import { buildGivenResult } from './given-result.js';

export interface HistoryParts {
  /** The branch that is shown, oldest first. */
  readonly branch: readonly StoredMessage[];
  readonly results: ReadonlyMap<string, RecordedCallResult>;
  /** How each result is given; each that is output has its letters. */
  readonly given: ReadonlyMap<string, ResultPresentation>;
}

/** The request to go on, for a conversation whose last message is an assistant's. */
const GO_ON: ModelMessage = { role: 'user', parts: [{ kind: 'text', text: 'Continue.' }] };

/**
 * Builds the messages that a model is given of a conversation, valid whatever happened in it: each call has exactly one
 * result, in the message after it and in the order of the calls; ids are the model's own where a protocol takes them;
 * no text is blank; the person speaks first, and an assistant never last. An answer that did not end is kept as its
 * text without its calls, and one with nothing in it is left out. `alternating`: for protocols that take no two
 * messages of one side in a row.
 */
export function buildHistory(
  kept: HistoryParts,
  { alternating }: { readonly alternating: boolean },
): readonly ModelMessage[] {
  const ids = new CallIds();
  const messages = kept.branch.flatMap((message) => toModelMessages(message, kept, ids));
  const whole = messages.at(-1)?.role === 'assistant' ? [...messages, GO_ON] : messages;
  return alternating ? joinSameRole(whole) : whole;
}

function toModelMessages(message: StoredMessage, kept: HistoryParts, ids: CallIds): readonly ModelMessage[] {
  const { said } = message;
  if (said.by === 'person') return [{ role: 'user', parts: partsGiven(message.id, said.parts) }];
  if (said.end.state === 'streaming') return [];
  // Nothing runs of a message that did not end, and so nothing of it is called.
  const blocks = said.blocks.filter(({ kind }) => kind !== 'call' || said.end.state === 'whole');
  const results: ModelResult[] = [];
  const spoken = blocks.flatMap((block): readonly AssistantBlock[] => {
    if (block.kind !== 'call') return isSaid(block) ? [block] : [];
    const { callId, ...call } = block;
    const named = { ...call, id: ids.next(block), name: nameInHistory(block.name) };
    results.push({ ...buildGivenResult(callId, kept), id: named.id, name: named.name });
    return [named];
  });
  if (!spoken.some(({ kind }) => kind !== 'reasoning')) return [];
  return [
    { role: 'assistant', blocks: spoken },
    ...(results.length === 0 ? [] : [{ role: 'results', results } as const]),
  ];
}

/** Reasoning is given back only to who wants it back; a blank text is none. */
const isSaid = (block: Exclude<StoredBlock, { readonly kind: 'call' }>): boolean =>
  block.kind === 'reasoning' ? block.kept !== null : block.text.trim() !== '';

function joinSameRole(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const all: ModelMessage[][] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last !== undefined && message.role !== 'results' && last[0]?.role === message.role) last.push(message);
    else all.push([message]);
  }
  return all.map(oneOf);
}

function oneOf(same: readonly ModelMessage[]): ModelMessage {
  const [first] = same;
  if (first === undefined) throw new Error('Nothing is made of no message.');
  if (same.length === 1 || first.role === 'results') return first;
  if (first.role === 'user')
    return { role: 'user', parts: same.flatMap((each) => (each.role === 'user' ? each.parts : [])) };
  return { role: 'assistant', blocks: same.flatMap((each) => (each.role === 'assistant' ? each.blocks : [])) };
}
