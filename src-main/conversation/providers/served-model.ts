import { setTimeout as sleepMs } from 'node:timers/promises';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Model, ModelEvent, ModelFailure, ModelRequest } from '../../domain/ports/conversation/model.js';
import type { Outside, OutsideAnswer, OutsideKey } from '../../domain/ports/outside.js';
import { type AnswerReader, BrokenAnswer, objectIn } from './answer-reader.js';
import { AnthropicReader } from './anthropic-reader.js';
import { ChatReader } from './chat-reader.js';
import { GoogleReader } from './google-reader.js';
import { brokeOff, failure, outsideFailure, refusalFailure } from './model-faults.js';
import { PROVIDERS } from './provider-table.js';
import { streamedEvents, UnreadableStream } from './sse.js';
import { againWords, countDown, type Sleep, chooseWait } from './waits.js';
import { type ServedBy, writeRequest } from './written-request.js';

export interface ServedModelParts {
  readonly outside: Outside;
  /** Asked at each request; null where there is none. */
  readonly key: () => OutsideKey | null;
  readonly now: () => number;
  readonly sleep?: Sleep;
  readonly afterEnd?: AfterEnd;
}

/** A server that has said its closing word and holds the line, in milliseconds. */
export interface AfterEnd {
  /** So long after its last event is waited for what it may count yet. */
  readonly quiet: number;
  /** And so long in all, whatever it says. */
  readonly most: number;
}

const MAX_ERROR_BYTES = 65_536;
const AFTER_END: AfterEnd = { quiet: 1_000, most: 5_000 };

/** A model that a server has. Nothing is retried once any part of an answer came. */
export function createServedModel(served: ServedBy, parts: ServedModelParts): Model {
  return { answer: (request, signal) => answer(served, parts, request, signal) };
}

async function* answer(
  served: ServedBy,
  parts: ServedModelParts,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  // Ends the connection too where nobody reads on.
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    const got = yield* asked(served, parts, request, either);
    if ('fault' in got) yield { type: 'failed', failure: got };
    else yield* read(served, got, either, parts.afterEnd ?? AFTER_END);
  } catch (error) {
    yield { type: 'failed', failure: signal.aborted ? STOPPED : unexpected(error) };
  } finally {
    over.abort();
  }
}

const NO_STREAM = 'no event came; look whether this address speaks that protocol (Settings, Model)';
const STOPPED = failure('broke-off', 'You stopped it.');

const unexpected = (error: unknown): ModelFailure =>
  error instanceof Error && !('kind' in error) && !(error instanceof BrokenAnswer)
    ? failure('settings', `The request could not be written: ${error.message.slice(0, 300)}`)
    : outsideFailure(error);

/** The server's answer, or why there is none; waits as it asks to. */
async function* asked(
  served: ServedBy,
  { outside, key, now, sleep = slept }: ServedModelParts,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, OutsideAnswer | ModelFailure> {
  const facts = PROVIDERS[served.provider];
  if (served.model === '') return failure('settings', 'No model is chosen. Choose one under Settings, Model.');
  const used = key();
  if (used === null && facts.needsKey)
    return failure('api-key', `There is no API key for ${facts.label}. Enter one under Settings, Model.`);
  const written = await writeRequest(served, request);
  for (let attempt = 0; ; attempt += 1) {
    const got = await sent();
    if ('fault' in got) return got;
    if (got.status >= 200 && got.status < 300) return got;
    const refused = refusalFailure(
      got.status,
      await got.text(MAX_ERROR_BYTES).catch(() => ''),
      facts.label,
      served.model,
      againWords(got.header('retry-after'), now()),
    );
    if (refused.fault !== 'rate-limit' && refused.fault !== 'overloaded') return refused;
    const seconds = chooseWait(attempt, got.header('retry-after'), now());
    if (seconds === null) return refused;
    yield* countDown(seconds, refused.fault, sleep, signal);
  }

  async function sent(): Promise<OutsideAnswer | ModelFailure> {
    try {
      const { url, headers, body } = written;
      return await outside.send(
        { method: 'POST', url, within: served.baseUrl, headers, body, keys: used === null ? [] : [used] },
        signal,
      );
    } catch (error) {
      return signal.aborted ? STOPPED : outsideFailure(error);
    }
  }
}

const slept: Sleep = (ms, signal) => sleepMs(ms, undefined, { signal });

/** The stream, event by event, to its one end. */
async function* read(
  served: ServedBy,
  got: OutsideAnswer,
  signal: AbortSignal,
  afterEnd: AfterEnd,
): AsyncGenerator<ModelEvent> {
  const reader = readerFor(served);
  let failed: ModelFailure | null = null;
  let isEmpty = true;
  try {
    for await (const events of untilQuiet(streamedEvents(got.body), () => reader.closed !== null, afterEnd)) {
      for (const { name, data } of events) {
        isEmpty = false;
        if (data === '[DONE]') continue;
        const said = jsonIn(data);
        // After the closing word, half a thing more takes nothing back.
        if (said !== null) yield* reader.read(said, name);
        else if (reader.closed === null) throw new BrokenAnswer('an event of it can’t be read');
      }
    }
  } catch (error) {
    if (signal.aborted) failed = STOPPED;
    else if (error instanceof BrokenAnswer || error instanceof UnreadableStream)
      failed = failure('broke-off', brokeOff(error.message));
    else if (reader.closed === null) failed = outsideFailure(error);
  }
  if (reader.usage !== null) yield { type: 'used', usage: reader.usage };
  if (failed !== null) yield { type: 'failed', failure: failed };
  else if (reader.closed !== null) yield { type: 'ended', why: reader.closed };
  else
    yield {
      type: 'failed',
      failure: failure('broke-off', brokeOff(isEmpty ? NO_STREAM : 'it stopped before its end')),
    };
}

function readerFor({ provider }: ServedBy): AnswerReader {
  switch (PROVIDERS[provider].protocol) {
    case 'anthropic':
      return new AnthropicReader();
    case 'chat':
      return new ChatReader(provider);
    case 'google':
      return new GoogleReader();
  }
}

/** A marker that nobody reads: without one an error with its stack is made for each event. */
const CAME = Symbol('It came.');

/** Ends with its source, or, once that is over but for its line, a moment after its last event. */
async function* untilQuiet<T>(
  source: AsyncGenerator<T>,
  isOver: () => boolean,
  { quiet, most }: AfterEnd,
): AsyncGenerator<T> {
  const done = new AbortController();
  const after = (ms: number, signal: AbortSignal) => sleepMs(ms, null, { signal }).catch(() => null);
  let atMost: Promise<null> | null = null;
  try {
    for (;;) {
      const next = source.next();
      const came = new AbortController();
      atMost ??= isOver() ? after(most, done.signal) : null;
      const got = atMost === null ? await next : await Promise.race([atMost, next, after(quiet, came.signal)]);
      came.abort(CAME);
      // The pending read ends with its request.
      if (got === null) return void next.catch(() => undefined);
      if (got.done === true) return;
      yield got.value;
    }
  } finally {
    done.abort(CAME);
  }
}

function jsonIn(data: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? objectIn(value) : null;
  } catch {
    return null;
  }
}
