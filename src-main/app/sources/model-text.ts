import type { Model, ModelEvent, ModelRequest } from '../../domain/ports/conversation/model.js';
import type { SampleRequest } from '../../domain/ports/sources/server-questions.js';

export type ModelText =
  | { readonly ok: true; readonly text: string; readonly wasCut: boolean }
  | { readonly ok: false; readonly words: string };

const MAX_TEXT = 100_000;
const WITHIN_MS = 180_000;

/** Asks a model for one answer in plain text, without tools, until `stop` ends it. Never throws. */
export async function modelText(model: Model, request: SampleRequest, stop: AbortController): Promise<ModelText> {
  const own = new AbortController();
  const end = (): void => own.abort();
  stop.signal.addEventListener('abort', end, { once: true });
  const timer = setTimeout(end, WITHIN_MS);
  try {
    return await read(model.answer(written(request), own.signal), end);
  } finally {
    clearTimeout(timer);
    stop.signal.removeEventListener('abort', end);
  }
}

async function read(events: AsyncIterable<ModelEvent>, end: () => void): Promise<ModelText> {
  let text = '';
  for await (const event of events) {
    if (event.type === 'waiting') {
      end();
      return { ok: false, words: `its server takes no more requests for ${event.seconds} s.` };
    }
    if (event.type === 'failed') return { ok: false, words: event.failure.message };
    if (event.type === 'text') text += event.text;
    if (event.type === 'ended' && event.why === 'length') return { ok: true, text, wasCut: true };
    if (text.length > MAX_TEXT) {
      end();
      return { ok: true, text: text.slice(0, MAX_TEXT), wasCut: true };
    }
  }
  return { ok: true, text, wasCut: false };
}

const written = ({ system, messages, maxTokens, temperature }: SampleRequest): ModelRequest => ({
  system: system ?? '',
  history: messages.map(({ role, text }) =>
    role === 'user' ? { role, parts: [{ kind: 'text', text }] } : { role, blocks: [{ kind: 'text', text }] },
  ),
  tools: [],
  toolChoice: 'none',
  maxOutputTokens: maxTokens,
  temperature,
});
