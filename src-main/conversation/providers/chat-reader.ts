import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ModelEvent, ModelUsage } from '../../domain/ports/conversation/model.js';
import {
  type AnswerReader,
  BrokenAnswer,
  type ClosingWhy,
  listIn,
  numberIn,
  objectIn,
  saidIn,
  textIn,
} from './answer-reader.js';

const WHY: Readonly<Record<string, ClosingWhy>> = {
  stop: 'done',
  tool_calls: 'done',
  function_call: 'done',
  length: 'length',
  model_length: 'length',
  content_filter: 'filtered',
  refusal: 'refused',
};

interface Call {
  readonly block: number;
  readonly id: string;
}

/**
 * OpenAI chat completions, chunk by chunk. Text and reasoning end where another block begins; a call ends with the message
 * alone: until `finish_reason` any of them may go on.
 */
export class ChatReader implements AnswerReader {
  readonly #provider: string;
  #why: ClosingWhy | null = null;
  #refused = false;
  #blocks = 0;
  #speaking: { readonly type: 'text' | 'reasoning'; readonly block: number } | null = null;
  readonly #calls: Call[] = [];
  /** The calls, by their number on the wire. */
  readonly #at = new Map<number, Call>();
  #usage: ModelUsage | null = null;

  constructor(provider: string) {
    this.#provider = provider;
  }

  get closed(): ClosingWhy | null {
    return this.#why;
  }

  get usage(): ModelUsage | null {
    return this.#usage;
  }

  read(event: JsonObject, name: string): readonly ModelEvent[] {
    if (name === 'error' || (event['error'] !== undefined && event['error'] !== null))
      throw new BrokenAnswer(`its server said “${saidIn(event['error']) || saidIn(event) || 'error'}”.`);
    this.#count(event['usage']);
    const events: ModelEvent[] = [];
    for (const choice of listIn(event['choices'])) events.push(...this.#choice(objectIn(choice)));
    return events;
  }

  #choice(choice: JsonObject): readonly ModelEvent[] {
    if ((numberIn(choice['index']) ?? 0) !== 0) return [];
    const delta = objectIn(choice['delta']);
    const calls = listIn(delta['tool_calls']);
    const reasoning = textIn(delta['reasoning_content']) || textIn(delta['reasoning']);
    const refusal = textIn(delta['refusal']);
    const text = contentOf(delta['content']) + refusal;
    const finish = textIn(choice['finish_reason']);
    if (this.#why !== null) {
      // What some servers repeat after the end says nothing; anything else is another message.
      if (calls.length === 0 && reasoning === '' && text === '') return [];
      throw new BrokenAnswer('it went on after its end.');
    }
    if (refusal !== '') this.#refused = true;
    const events = [...this.#say('reasoning', reasoning), ...this.#say('text', text)];
    for (const call of calls) events.push(...this.#call(objectIn(call)));
    return finish === '' ? events : [...events, ...this.#finish(finish)];
  }

  #say(type: 'text' | 'reasoning', text: string): readonly ModelEvent[] {
    if (text === '') return [];
    const before = this.#speaking?.type === type ? [] : this.#endSpeaking();
    this.#speaking ??= { type, block: this.#blocks++ };
    return [...before, { type, block: this.#speaking.block, text }];
  }

  #endSpeaking(): readonly ModelEvent[] {
    if (this.#speaking === null) return [];
    const { type, block } = this.#speaking;
    this.#speaking = null;
    return [{ type: 'block-ended', block, kept: type === 'reasoning' ? { provider: this.#provider } : null }];
  }

  #call(said: JsonObject): readonly ModelEvent[] {
    const given = objectIn(said['function']);
    const [id, name, text] = [textIn(said['id']), textIn(given['name']), argumentsOf(given['arguments'])];
    const index = numberIn(said['index']);
    const known = index === null ? this.#calls.at(-1) : this.#at.get(index);
    // Some servers give every call the number 0, or none.
    const begins = known === undefined || (id !== '' && name !== '' && id !== known.id);
    if (!begins) return text === '' ? [] : [{ type: 'call-arguments', block: known.block, text }];
    const before = this.#endSpeaking();
    const call = { block: this.#blocks++, id };
    this.#calls.push(call);
    if (index !== null) this.#at.set(index, call);
    const began = { type: 'call-began', block: call.block, id, name } as const;
    return text === '' ? [...before, began] : [...before, began, { type: 'call-arguments', block: call.block, text }];
  }

  #finish(finish: string): readonly ModelEvent[] {
    const why = WHY[finish];
    if (why === undefined) throw new BrokenAnswer(`it ended as “${finish.slice(0, 60)}”.`);
    this.#why = this.#refused && why === 'done' ? 'refused' : why;
    const spoken = this.#endSpeaking();
    if (why !== 'done') return spoken;
    return [...spoken, ...this.#calls.map(({ block }) => ({ type: 'block-ended', block, kept: null }) as const)];
  }

  #count(said: unknown): void {
    const usage = objectIn(said);
    const [inputTokens, outputTokens] = [numberIn(usage['prompt_tokens']), numberIn(usage['completion_tokens'])];
    if (inputTokens === null && outputTokens === null) return;
    this.#usage = { inputTokens, outputTokens, cost: numberIn(usage['cost']) };
  }
}

/** Text, or a list of parts of which the text ones count. */
const contentOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listIn(content)
        .map((part) => textIn(objectIn(part)['text']))
        .join('');

/** Ollama's early versions gave them as an object. */
const argumentsOf = (given: unknown): string =>
  typeof given === 'string' ? given : given === undefined || given === null ? '' : JSON.stringify(given);
