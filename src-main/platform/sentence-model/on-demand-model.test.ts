import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AskedPeer } from '../asked/asked-thread.js';
import type { AskedAnswer, AskedQuestion } from '../asked/protocol.js';
import { OnDemandModel } from './on-demand-model.js';
import { DIMENSIONS } from './model-protocol.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that answers when it is told to. */
class Started implements AskedPeer {
  readonly asked: AskedQuestion[] = [];
  ended = false;
  answer: (answer: AskedAnswer) => void = () => undefined;
  dies: (details: string) => void = () => undefined;
  post(question: AskedQuestion): void {
    this.asked.push(question);
  }
  onAnswer(listener: (answer: AskedAnswer) => void): void {
    this.answer = listener;
  }
  onEnd(listener: (details: string) => void): void {
    this.dies = listener;
  }
  hold(): void {
    return undefined;
  }
  async end(): Promise<void> {
    this.ended = true;
  }
  get texts(): readonly string[] {
    return this.asked.at(-1)?.args[0] as readonly string[];
  }
  /** The last that was asked, with vectors that say which text they are of. */
  answers(): void {
    const vectors = new Float32Array(this.texts.length * DIMENSIONS);
    for (const [at, text] of this.texts.entries()) vectors[at * DIMENSIONS] = Number(text);
    this.answer({ id: this.asked.at(-1)?.id ?? 0, ok: true, value: vectors });
  }
}

function held() {
  const started: Started[] = [];
  const told: string[] = [];
  const model = new OnDemandModel({
    start: () => {
      const one = new Started();
      started.push(one);
      return one;
    },
    times: { idleMs: 1000, patienceMs: 500, restMs: 2000 },
    log: (message, details) => told.push(`${message}: ${details}`),
  });
  return { model, started, told };
}

test('it starts with the first question, and a minute without one ends it', async () => {
  const { model, started } = held();
  expect(started).toHaveLength(0);
  const first = model.embed(['1']);
  started[0]?.answers();
  expect((await first)[0]?.[0]).toBe(1);
  vi.advanceTimersByTime(900);
  const second = model.embed(['2']);
  started[0]?.answers();
  await second;
  vi.advanceTimersByTime(999);
  expect(started[0]?.ended).toBe(false);
  vi.advanceTimersByTime(1);
  expect(started[0]?.ended).toBe(true);
  // The process's end is then no failure.
  started[0]?.dies('code 0');
  const third = model.embed(['3']);
  expect(started).toHaveLength(2);
  started[1]?.answers();
  expect((await third)[0]?.[0]).toBe(3);
});

test('many texts go in pieces, and come back in their order', async () => {
  const { model, started } = held();
  const all = model.embed(Array.from({ length: 40 }, (_, at) => String(at)));
  for (const pieces of [16, 16, 8]) {
    expect(started[0]?.texts).toHaveLength(pieces);
    started[0]?.answers();
    await vi.advanceTimersByTimeAsync(0);
  }
  expect((await all).map(([first]) => first)).toEqual(Array.from({ length: 40 }, (_, at) => at));
});

test.each([
  ['ends', (process: Started) => process.dies('code 1')],
  ['hangs', () => vi.advanceTimersByTime(500)],
  [
    'says that it can’t',
    (process: Started) => process.answer({ id: 1, ok: false, kind: 'Error', message: 'no such instruction' }),
  ],
])('one that %s fails what was asked, is not started again at once, and later is', async (_how, fails) => {
  const { model, started, told } = held();
  const asked = [model.embed(['1']), model.embed(['2'])];
  const refused = asked.map((each) => expect(each).rejects.toThrow('can’t be used on this computer just now'));
  const [process] = started;
  if (process === undefined) throw new Error('It was not started.');
  fails(process);
  await Promise.all(refused);
  expect(told).toHaveLength(1);
  expect(process.ended).toBe(true);
  await expect(model.embed(['3'])).rejects.toThrow('just now');
  expect(started).toHaveLength(1);
  vi.advanceTimersByTime(2000);
  const later = model.embed(['4']);
  // Answers of the old process are for nobody.
  process.answer({ id: 3, ok: true, value: new Float32Array(DIMENSIONS).fill(9) });
  started[1]?.answers();
  expect((await later)[0]?.[0]).toBe(4);
});

test('the app’s end ends it', async () => {
  const { model, started } = held();
  const asked = expect(model.embed(['1'])).rejects.toThrow('closing');
  model.close();
  await asked;
  expect(started[0]?.ended).toBe(true);
});
