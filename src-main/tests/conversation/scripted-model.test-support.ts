import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Model, ModelEvent, ModelRequest } from '../../domain/ports/conversation/model.js';

export type Said = string | { readonly call: string; readonly id?: string; readonly arguments?: JsonObject | string };

/** Says what it was told to, one list an answer, and keeps what it was given. After its script it says “done”. */
export class ScriptedModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly #script: (readonly Said[])[];
  /** Called between the pieces of what it says. */
  readonly #between: () => void;

  constructor(script: readonly (readonly Said[])[], between: () => void = () => undefined) {
    this.#script = [...script];
    this.#between = between;
  }

  async *answer(request: ModelRequest): AsyncGenerator<ModelEvent> {
    this.requests.push(request);
    const number = this.requests.length;
    for (const [block, said] of (this.#script.shift() ?? ['done']).entries())
      for (const event of eventsOf(said, block, `call_${number}_${block}`)) {
        this.#between();
        yield event;
      }
    this.#between();
    yield { type: 'ended', why: 'done' };
  }
}

function eventsOf(said: Said, block: number, id: string): readonly ModelEvent[] {
  const ended: ModelEvent = { type: 'block-ended', block, kept: null };
  if (typeof said === 'string') return [{ type: 'text', block, text: said }, ended];
  const { arguments: args = {} } = said;
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return [
    { type: 'call-began', block, id: said.id ?? id, name: said.call },
    ...[text.slice(0, 7), text.slice(7)].map((piece): ModelEvent => ({ type: 'call-arguments', block, text: piece })),
    ended,
  ];
}
