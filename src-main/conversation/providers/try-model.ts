import type { ModelTestResult } from '#contract/window/conversation/models.js';
import type { Model, ModelRequest } from '../../domain/ports/conversation/model.js';

const REQUEST: ModelRequest = {
  system: '',
  history: [{ role: 'user', parts: [{ kind: 'text', text: 'Answer with the one word: ready' }] }],
  tools: [],
  toolChoice: 'none',
  maxOutputTokens: 256,
  temperature: null,
};
const WITHIN_MS = 60_000;

/**
 * Tries a model with one small request, and tells in words what came of it. It gives up where the provider asks to
 * wait.
 */
export async function tryModel(model: Model, name: string, monotonic: () => number): Promise<ModelTestResult> {
  const began = monotonic();
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(WITHIN_MS)]);
  let text = '';
  for await (const event of model.answer(REQUEST, signal)) {
    if (event.type === 'waiting') {
      stop.abort();
      const why = event.why === 'rate-limit' ? 'takes no more requests for now (rate limit)' : 'is overloaded';
      return { answered: false, words: `The server ${why}. Try again in ${event.seconds} s.` };
    }
    if (event.type === 'text') text += event.text;
    if (event.type === 'failed') {
      const late = signal.aborted ? `${name} did not answer within ${WITHIN_MS / 1000} s.` : event.failure.message;
      return { answered: false, words: late };
    }
  }
  const took = `${((monotonic() - began) / 1000).toFixed(1)} s`;
  const said = text.replace(/\s+/gu, ' ').trim().slice(0, 200);
  return {
    answered: true,
    words: said === '' ? `${name} answered in ${took}, without a word.` : `${name} answered in ${took}: “${said}”`,
  };
}
