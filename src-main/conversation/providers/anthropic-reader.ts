import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ModelEvent, ModelUsage } from '../../domain/ports/conversation/model.js';
import {
  type AnswerReader,
  BrokenAnswer,
  type ClosingWhy,
  numberIn,
  objectIn,
  saidIn,
  textIn,
} from './answer-reader.js';

interface OpenBlock {
  readonly block: number;
  readonly kind: 'text' | 'reasoning' | 'call' | 'other';
  kept: JsonObject | null;
}

const WHY: Readonly<Record<string, ClosingWhy>> = {
  end_turn: 'done',
  tool_use: 'done',
  stop_sequence: 'done',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
};

/** Anthropic Messages, event by event. Blocks have numbers on the wire, and each begins and ends once. */
export class AnthropicReader implements AnswerReader {
  #began = false;
  #stopped = false;
  #why: string | null = null;
  #highest = -1;
  #blocks = 0;
  readonly #open = new Map<number, OpenBlock>();
  #input: number | null = null;
  #output: number | null = null;

  get closed(): ClosingWhy | null {
    return this.#stopped ? (WHY[this.#why ?? ''] ?? null) : null;
  }

  get usage(): ModelUsage | null {
    return this.#began ? { inputTokens: this.#input, outputTokens: this.#output, cost: null } : null;
  }

  read(event: JsonObject, name: string): readonly ModelEvent[] {
    const type = textIn(event['type']) || name;
    if (type === 'error') throw new BrokenAnswer(`its server said “${saidIn(event['error']) || 'error'}”.`);
    if (type === 'ping') return [];
    if (type === 'message_start') return this.#start(event);
    if (!KNOWN.has(type)) return [];
    if (!this.#began || this.#stopped) throw new BrokenAnswer('its events came out of order.');
    switch (type) {
      case 'content_block_start':
        return this.#begin(event);
      case 'content_block_delta':
        return this.#piece(event);
      case 'content_block_stop':
        return this.#end(event);
      case 'message_delta':
        this.#why = textIn(objectIn(event['delta'])['stop_reason']) || this.#why;
        this.#count(event['usage']);
        return [];
      default:
        return this.#stop();
    }
  }

  #start(event: JsonObject): readonly ModelEvent[] {
    if (this.#began) throw new BrokenAnswer('a second message began in it.');
    this.#began = true;
    this.#count(objectIn(event['message'])['usage']);
    return [];
  }

  #count(usage: unknown): void {
    const said = objectIn(usage);
    const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'].map((key) =>
      numberIn(said[key]),
    );
    if (parts.some((part) => part !== null)) {
      const sum = parts.reduce<number>((all, part) => all + (part ?? 0), 0);
      if (parts[0] !== null || this.#input === null) this.#input = sum;
    }
    this.#output = numberIn(said['output_tokens']) ?? this.#output;
  }

  #begin(event: JsonObject): readonly ModelEvent[] {
    const index = numberIn(event['index']);
    if (index === null || index <= this.#highest) throw new BrokenAnswer('a block of it began twice.');
    this.#highest = index;
    const said = objectIn(event['content_block']);
    const type = textIn(said['type']);
    const block = this.#blocks;
    const open = (kind: OpenBlock['kind'], kept: JsonObject | null = null): void => {
      this.#open.set(index, { block, kind, kept });
      if (kind !== 'other') this.#blocks += 1;
    };
    if (type === 'text') {
      open('text');
      return spoken('text', block, textIn(said['text']));
    }
    if (type === 'thinking') {
      open('reasoning', signed(textIn(said['signature'])));
      // Told even where it says nothing: its signature has to go back.
      return [{ type: 'reasoning', block, text: textIn(said['thinking']) }];
    }
    if (type === 'redacted_thinking') {
      open('reasoning', { provider: 'anthropic', redactedData: textIn(said['data']) });
      return [{ type: 'reasoning', block, text: '' }];
    }
    if (type !== 'tool_use') {
      open('other');
      return [];
    }
    open('call');
    const began = { type: 'call-began', block, id: textIn(said['id']), name: textIn(said['name']) } as const;
    // Some servers give a call's arguments whole, as it begins.
    const whole = JSON.stringify(said['input'] ?? {});
    return whole === '{}' ? [began] : [began, { type: 'call-arguments', block, text: whole }];
  }

  #piece(event: JsonObject): readonly ModelEvent[] {
    const open = this.#opened(event);
    const delta = objectIn(event['delta']);
    switch (textIn(delta['type'])) {
      case 'text_delta':
        return this.#fits(open, 'text', () => spoken('text', open.block, textIn(delta['text'])));
      case 'thinking_delta':
        return this.#fits(open, 'reasoning', () => spoken('reasoning', open.block, textIn(delta['thinking'])));
      case 'signature_delta':
        return this.#fits(open, 'reasoning', () => {
          open.kept = signed(textIn(open.kept?.['signature']) + textIn(delta['signature']));
          return [];
        });
      case 'input_json_delta': {
        const text = textIn(delta['partial_json']);
        return this.#fits(open, 'call', () =>
          text === '' ? [] : [{ type: 'call-arguments', block: open.block, text }],
        );
      }
      default:
        return [];
    }
  }

  #fits(open: OpenBlock, kind: OpenBlock['kind'], events: () => readonly ModelEvent[]): readonly ModelEvent[] {
    if (open.kind === 'other') return [];
    if (open.kind !== kind) throw new BrokenAnswer('a block of it changed its kind.');
    return events();
  }

  #end(event: JsonObject): readonly ModelEvent[] {
    const { block, kind, kept } = this.#opened(event);
    this.#open.delete(event['index'] as number);
    return kind === 'other' ? [] : [{ type: 'block-ended', block, kept }];
  }

  #opened(event: JsonObject): OpenBlock {
    const open = this.#open.get(numberIn(event['index']) ?? -1);
    if (open === undefined) throw new BrokenAnswer('its events came out of order.');
    return open;
  }

  #stop(): readonly ModelEvent[] {
    if (this.#open.size > 0) throw new BrokenAnswer('it ended within a block.');
    if (WHY[this.#why ?? ''] === undefined)
      throw new BrokenAnswer(
        this.#why === null ? 'it does not say why it ended.' : `it ended as “${this.#why.slice(0, 60)}”.`,
      );
    this.#stopped = true;
    return [];
  }
}

const KNOWN: ReadonlySet<string> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
]);

const signed = (signature: string): JsonObject => ({ provider: 'anthropic', signature });

const spoken = (type: 'text' | 'reasoning', block: number, text: string): readonly ModelEvent[] =>
  text === '' ? [] : [{ type, block, text }];
