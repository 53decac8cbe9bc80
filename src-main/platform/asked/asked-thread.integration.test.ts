import { expect, it, onTestFinished } from 'vitest';
import { AskedThread, type AskedTrouble } from './asked-thread.js';
import { startThread } from './start-thread.js';

interface Service {
  add(one: number, other: number): number;
  refuse(): never;
  fail(): never;
  hang(): never;
  giveFunction(): void;
  remember(value: string): void;
  recall(): string;
}

// The thread's own side, from source.
const service = `await import(${JSON.stringify(new URL('../../journal/reading/source-hooks.test-support.ts', import.meta.url).href)});
const { answerQuestions } = await import(${JSON.stringify(new URL('answer-questions.ts', import.meta.url).href)});
let kept = '';
answerQuestions({
  add: (one, other) => one + other,
  refuse: async () => { throw new RangeError('no'); },
  fail: () => process.exit(3),
  hang: () => { for (;;); },
  giveFunction: () => () => undefined,
  remember: (value) => void (kept = value),
  recall: () => kept,
});`;

function open({ endsOnRefusal = false, patienceMs = 60_000 } = {}) {
  const troubles: AskedTrouble[] = [];
  const started = { times: 0 };
  const thread = new AskedThread<Service>({
    start: () => {
      started.times += 1;
      return startThread(new URL(`data:text/javascript,${encodeURIComponent(service)}`));
    },
    begin: (fresh) => fresh.tell('remember', 'begun'),
    patienceMs: (name) => (name === 'hang' ? patienceMs : 60_000),
    endsOnRefusal,
    explain: (trouble) => {
      troubles.push(trouble);
      return new Error(`${trouble.is}: ${trouble.details}`);
    },
  });
  onTestFinished(() => thread.close());
  return { thread, troubles, started };
}

it('answers each question with its own answer, and begins with what it is told', async () => {
  const { thread, started } = open();
  expect(started.times).toBe(0);
  expect(await Promise.all([thread.ask('add', 1, 2), thread.ask('recall'), thread.ask('add', 3, 4)])).toEqual([
    3,
    'begun',
    7,
  ]);
  thread.tell('remember', 'told');
  expect([await thread.ask('recall'), started.times]).toEqual(['told', 1]);
});

it('a refusal is of one question, and so is an answer that can’t be sent', async () => {
  const { thread, troubles, started } = open();
  const [refused, sum, unsent] = await Promise.allSettled([
    thread.ask('refuse'),
    thread.ask('add', 1, 2),
    thread.ask('giveFunction'),
  ]);
  expect([refused.status, sum, unsent.status]).toEqual(['rejected', { status: 'fulfilled', value: 3 }, 'rejected']);
  expect(troubles.map(({ kind }) => kind)).toEqual(['RangeError', 'DataCloneError']);
  expect(started.times).toBe(1);
});

it.each([
  ['refuses', 'refuse', 'refused: no'],
  ['ends', 'fail', 'ended: code 3'],
  ['takes too long', 'hang', 'late: It did not answer in time.'],
] as const)(
  'one that %s fails all that was asked of it at once, and the next has another',
  async (_how, name, words) => {
    const { thread, troubles, started } = open({ endsOnRefusal: true, patienceMs: 500 });
    await thread.ask('recall');
    const lost = await Promise.allSettled([thread.ask(name), thread.ask('hang')]);
    expect(lost.map((each) => (each.status === 'rejected' ? (each.reason as Error).message : 'answered'))).toEqual([
      words,
      words,
    ]);
    expect([await thread.ask('recall'), troubles.length, started.times]).toEqual(['begun', 1, 2]);
  },
);

it('one that is closed answers nobody, and starts no more', async () => {
  const { thread, started } = open();
  await thread.ask('recall');
  const lost = expect(thread.ask('hang')).rejects.toThrow('closed');
  await thread.close();
  await lost;
  await expect(thread.ask('recall')).rejects.toThrow('closed');
  expect([thread.isRunning, started.times]).toEqual([false, 1]);
});
