import type { JsonObject } from '#contract/vocabulary/json.js';

/** A model, whoever serves it. It only writes: what it asks for is run by the gate, or not at all. */
export interface Model {
  /**
   * Streams one answer, as it comes: each event in the order of the wire. Ends after exactly one `ended` or `failed`;
   * never throws. A wait that its server asked for is told and kept inside.
   */
  answer(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface ModelRequest {
  readonly system: string;
  readonly history: readonly ModelMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly inputSchema: JsonObject }[];
  /** Whether the model may call tools. `none`: it may not, and says how far it has come. */
  readonly toolChoice: 'auto' | 'none';
  readonly maxOutputTokens: number;
  readonly temperature: number | null;
}

/** A message in no protocol's words. Each call of an assistant's message has its result in the message after it. */
export type ModelMessage =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly blocks: readonly AssistantBlock[] }
  | { readonly role: 'results'; readonly results: readonly ModelResult[] };

export type UserPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'picture'; readonly mediaType: string; readonly base64: string };

export type AssistantBlock =
  | { readonly kind: 'text'; readonly text: string }
  /** `kept` is what the same provider wants back with it, unread. */
  | { readonly kind: 'reasoning'; readonly text: string; readonly kept: JsonObject | null }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly name: string;
      readonly arguments: JsonObject;
      readonly kept: JsonObject | null;
    };

export interface ModelResult {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly isError: boolean;
}

/** `block` numbers the blocks of one answer from 0, in the order in which they began. */
export type ModelEvent =
  | { readonly type: 'text'; readonly block: number; readonly text: string }
  | { readonly type: 'reasoning'; readonly block: number; readonly text: string }
  | { readonly type: 'call-began'; readonly block: number; readonly id: string; readonly name: string }
  | { readonly type: 'call-arguments'; readonly block: number; readonly text: string }
  /** The block closed: a call whose block never closes is not whole, and never runs. */
  | { readonly type: 'block-ended'; readonly block: number; readonly kept: JsonObject | null }
  | { readonly type: 'used'; readonly usage: ModelUsage }
  /** The model's server asked for a wait: told each second, until it is over. */
  | { readonly type: 'waiting'; readonly seconds: number; readonly why: 'rate-limit' | 'overloaded' }
  /** The protocol's closing word came. Only after `done` may calls run. */
  | { readonly type: 'ended'; readonly why: 'done' | 'length' | 'refused' | 'filtered' }
  | { readonly type: 'failed'; readonly failure: ModelFailure };

export interface ModelUsage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The cost in US dollars, where the provider tells it. */
  readonly cost: number | null;
}

export const MODEL_FAULTS = [
  'api-key',
  'unreachable',
  'not-found',
  'rate-limit',
  'overloaded',
  'too-long',
  'broke-off',
  'refused',
  'settings',
  'no-model',
] as const;

/** A failure in plain words: what went wrong, and what to do. */
export interface ModelFailure {
  readonly fault: (typeof MODEL_FAULTS)[number];
  readonly message: string;
}
