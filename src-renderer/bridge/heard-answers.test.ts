import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HeardAnswers } from './heard-answers.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  let say: (id: number) => void = () => undefined;
  const answers = new HeardAnswers((listener) => (say = listener));
  const asked: { id: number; answer: (value: string) => void }[] = [];
  const ask = (): Promise<string> =>
    answers.heard((id) => new Promise((resolve) => void asked.push({ id, answer: resolve })));
  return { ask, asked, answered: (id: number) => say(id) };
}

it('gives the answer that came, whatever is said of it afterwards', async () => {
  const { ask, asked, answered } = setUp();
  const heard = ask();
  asked[0]?.answer('yes');
  expect(await heard).toBe('yes');
  answered(asked[0]?.id ?? 0);
  await vi.advanceTimersByTimeAsync(60_000);
});

it('gives an answer that is a little behind the word of it', async () => {
  const { ask, asked, answered } = setUp();
  const heard = ask();
  answered(asked[0]?.id ?? 0);
  await vi.advanceTimersByTimeAsync(1000);
  asked[0]?.answer('late');
  expect(await heard).toBe('late');
});

it('says that an answer was lost, of that request and of no other', async () => {
  const { ask, asked, answered } = setUp();
  const lost = ask();
  const waiting = ask();
  answered(asked[0]?.id ?? 0);
  const seen = expect(lost).rejects.toThrow('was lost');
  await vi.advanceTimersByTimeAsync(60_000);
  await seen;
  asked[1]?.answer('still');
  expect(await waiting).toBe('still');
});

it('waits for as long as main does', async () => {
  const { ask, asked } = setUp();
  const heard = ask();
  await vi.advanceTimersByTimeAsync(3_600_000);
  asked[0]?.answer('at last');
  expect(await heard).toBe('at last');
});
