import { setTimeout as delay } from 'node:timers/promises';
import type {
  Model,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelResult,
} from '../../domain/ports/conversation/model.js';
import { DEMO_KNOWS_NO_MORE, DEMO_STEPS, type DemoStep } from './demo-script.js';

/** Plays the script, and goes on by what came of its calls. It remembers nothing: what it says follows from the history. */
export class DemoModel implements Model {
  readonly #pauseMs: number;

  /** `pauseMs`: between two words, so that a person can read along; 0 where nobody does. */
  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  async *answer({ history, toolChoice }: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { says, calls } = stepIn(history);
    for (const text of wordsOf(says(lastResults(history)))) {
      if (this.#pauseMs > 0) await delay(this.#pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return yield STOPPED;
      yield { type: 'text', block: 0, text };
    }
    yield { type: 'block-ended', block: 0, kept: null };
    const answered = history.filter(({ role }) => role === 'assistant').length;
    for (const [at, call] of (toolChoice === 'none' ? [] : calls).entries()) {
      const block = at + 1;
      yield { type: 'call-began', block, id: `demo_${answered + 1}_${block}`, name: call.tool };
      yield { type: 'call-arguments', block, text: JSON.stringify(call.arguments) };
      yield { type: 'block-ended', block, kept: null };
    }
    yield { type: 'ended', why: 'done' };
  }
}

const STOPPED: ModelEvent = { type: 'failed', failure: { fault: 'broke-off', message: 'Stopped.' } };

const SILENT: DemoStep = { says: () => DEMO_KNOWS_NO_MORE, calls: [] };

/** Finds the step of the script by what the person said last, and how many answers came since. */
function stepIn(history: readonly ModelMessage[]): DemoStep {
  const at = history.findLastIndex(({ role }) => role === 'user');
  const said = history[at];
  const text = said?.role === 'user' ? said.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') : '';
  const answered = history.slice(at).filter(({ role }) => role === 'assistant').length;
  return DEMO_STEPS.get(text.trim())?.[answered] ?? SILENT;
}

function lastResults(history: readonly ModelMessage[]): readonly ModelResult[] {
  const last = history.at(-1);
  return last?.role === 'results' ? last.results : [];
}

/** Splits a text into words, each with the blank after it, so that together they are the text again. */
const wordsOf = (text: string): readonly string[] => text.match(/\S+\s*/gu) ?? [];
