import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import type { ServerAsks, ServerQuestionView } from '#contract/window/tools/sources.js';
import { asksForSecret } from '../../domain/sensitive/asks-for-secret.js';
import type { Model } from '../../domain/ports/conversation/model.js';
import type { Clock } from '../../domain/ports/clock.js';
import type {
  QuestionContext,
  SourceQuestion,
  SampleOutcome,
  SampleRequest,
  ServerAnswer,
  ServerQuestions,
} from '../../domain/ports/sources/server-questions.js';
import { compileForeignValidator } from '../../platform/json-schema.js';
import { answerProblem, done, parseJsonText, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import { ReviewsShown } from './reviews-shown.js';
import { modelText } from './model-text.js';

export interface QuestionParts {
  readonly clock: Clock;
  readonly onChange: () => void;
  /** The model of the person's settings, as it is now; a sentence where there is none. */
  readonly model: () => { readonly model: Model; readonly name: string; readonly provider: string } | string;
  readonly redact: (text: string) => string;
}

/** The limit on open questions of one server: one that asks more is told that nobody will read it. */
const MAX_OPEN_QUESTIONS = 5;

interface OpenServerQuestion {
  readonly id: string;
  readonly by: QuestionContext;
  step: number;
  asks: ServerAsks;
  answer: (answer: ServerAnswer) => void;
}

/**
 * The questions of servers to the person: one at a time in the window, in memory alone, gone with the call that it is
 * for.
 */
export class ServerQuestionDesk implements ServerQuestions {
  readonly #parts: QuestionParts;
  readonly #standing: OpenServerQuestion[] = [];
  readonly #shown: ReviewsShown;

  constructor(parts: QuestionParts) {
    this.#parts = parts;
    this.#shown = new ReviewsShown(parts.clock);
  }

  async ask(question: SourceQuestion, by: QuestionContext): Promise<ServerAnswer> {
    const asks: ServerAsks =
      question.kind === 'form'
        ? { ...question, secretFields: secretFields(question) }
        : { ...question, host: new URL(question.url).host };
    const standing = this.#begin(by, asks);
    if (standing === null) return { action: 'cancel' };
    try {
      return await this.#next(standing, asks);
    } finally {
      this.#end(standing);
    }
  }

  async sample(request: SampleRequest, by: QuestionContext): Promise<SampleOutcome> {
    const { model: modelNow, redact } = this.#parts;
    const use = modelNow();
    if (typeof use === 'string') return { given: false, words: use };
    const { name: model, provider } = use;
    const { system, messages, maxTokens } = request;
    const standing = this.#begin(by, { kind: 'model', model, provider, system, messages, maxTokens });
    if (standing === null) return { given: false, words: 'Too much is asked at once.' };
    try {
      if ((await this.#next(standing, standing.asks)).action !== 'accept') return { given: false, words: SAID_NO };
      // While it writes, the person can still say no, and the call can end.
      const stop = new AbortController();
      void this.#next(standing, { kind: 'model-writes', model }).then(() => stop.abort());
      const written = await modelText(use.model, request, stop);
      if (stop.signal.aborted) return { given: false, words: SAID_NO };
      if (!written.ok) return { given: false, words: `The model did not answer: ${redact(written.words)}` };
      const { text, wasCut } = written;
      const answer = await this.#next(standing, { kind: 'model-answer', model, text, wasCut });
      if (answer.action !== 'accept') return { given: false, words: SAID_NO };
      return { given: true, model, text, wasCut, record: redact(recordOf(model, request, text)) };
    } finally {
      this.#end(standing);
    }
  }

  /** The one that is shown. */
  get first(): ServerQuestionView | null {
    const [first, ...behind] = this.#standing;
    if (first === undefined) return null;
    const { id, step, by, asks } = first;
    return { id, step, source: by.source, calls: by.calls, asks, behind: behind.length };
  }

  readonly channels = {
    'sources.question': async () => {
      const { first } = this;
      if (first !== null) this.#shown.show(first.id, String(first.step));
      return done(first);
    },
    'sources.answer': async ({ id, step, action, content }) => {
      const [first] = this.#standing;
      if (first?.id !== id || first.step !== step) return refuse('stale', 'It is not asked any more.');
      if (action !== 'accept') {
        first.answer({ action });
        return done(null);
      }
      const notYet = this.#shown.notYet(id, String(step));
      if (notYet !== null) return refuse('stale', 'It has only just been shown. Read it, then answer.');
      if (first.asks.kind === 'model-writes') return refuse('stale', 'The model is still writing.');
      if (first.asks.kind !== 'form') {
        first.answer({ action, content: null });
        return done(null);
      }
      const parsed = parseJsonText(content ?? '{}');
      if (!parsed.ok) return parsed.error;
      const problem = misfit(first.asks.schema, parsed.value);
      if (problem !== null) return answerProblem(problem);
      first.answer({ action, content: parsed.value as JsonObject });
      return done(null);
    },
  } satisfies Partial<Handlers>;

  #begin(by: QuestionContext, asks: ServerAsks): OpenServerQuestion | null {
    if (by.signal.aborted || this.#standing.filter((each) => each.by.source === by.source).length >= MAX_OPEN_QUESTIONS)
      return null;
    const standing: OpenServerQuestion = { id: randomUUID(), by, step: 0, asks, answer: () => undefined };
    this.#standing.push(standing);
    return standing;
  }

  #next(standing: OpenServerQuestion, asks: ServerAsks): Promise<ServerAnswer> {
    const { promise, resolve } = Promise.withResolvers<ServerAnswer>();
    standing.asks = asks;
    standing.step += 1;
    standing.answer = resolve;
    const { signal } = standing.by;
    if (signal.aborted) resolve({ action: 'cancel' });
    signal.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true });
    this.#parts.onChange();
    return promise;
  }

  #end(standing: OpenServerQuestion): void {
    const at = this.#standing.indexOf(standing);
    if (at >= 0) this.#standing.splice(at, 1);
    this.#parts.onChange();
  }
}

const SAID_NO = 'The person did not want that.';

/** Fields that ask for what nobody should type here, by what they are called or said to be; where the question itself asks, all texts do. */
function secretFields({
  message,
  schema,
}: {
  readonly message: string;
  readonly schema: JsonObject;
}): readonly string[] {
  const properties = isJsonObject(schema['properties'] ?? null) ? (schema['properties'] as JsonObject) : {};
  const byMessage = asksForSecret(message);
  return Object.entries(properties).flatMap(([name, field]) => {
    const { title = '', description = '', type, enum: choices, oneOf } = isJsonObject(field) ? field : {};
    const isText = type === 'string' && choices === undefined && oneOf === undefined;
    const isMeant = [name, title, description].some((words) => typeof words === 'string' && asksForSecret(words));
    return isMeant || (byMessage && isText) ? [typeof title === 'string' && title !== '' ? title : name] : [];
  });
}

function misfit(schema: JsonObject, value: unknown): string | null {
  const checked = compileForeignValidator(schema);
  if (!checked.ok) return checked.problems.join(' ');
  const fits = checked.validate(value);
  if (fits.ok) return null;
  return fits.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');
}

function recordOf(model: string, { system, messages }: SampleRequest, answer: string): string {
  const said = messages.map(({ role, text }) => `[${role}]\n${text}`);
  return [...(system === null ? [] : [`[system]\n${system}`]), ...said, `[${model}]\n${answer}`].join('\n\n');
}
