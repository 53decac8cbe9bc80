import { describe, expect, it } from 'vitest';
import { type LoopAction, IDLE_STATE, type LoopEvent, type LoopState, step } from './loop-state.js';

type Happened = LoopEvent<string>;
const MOST = 2;
const said = (message: string): Happened => ({ type: 'said', message });
const text: Happened = { type: 'answered', hasCalls: false, whole: true, failed: false };
const calls: Happened = { type: 'answered', hasCalls: true, whole: true, failed: false };
const broken: Happened = { type: 'answered', hasCalls: true, whole: false, failed: false };
const failed: Happened = { type: 'answered', hasCalls: false, whole: false, failed: true };
const results: Happened = { type: 'results', goesOn: true };
const stop: Happened = { type: 'stopped', hasCalls: false };
const stopWithCalls: Happened = { type: 'stopped', hasCalls: true };
const goOn: Happened = { type: 'continued', insteadOf: null };

function play(...happened: readonly Happened[]) {
  let state: LoopState<string> = IDLE_STATE;
  const acts: (readonly LoopAction<string>[])[] = [];
  for (const each of happened) {
    const stepped = step(state, each, MOST);
    state = stepped.state;
    acts.push(stepped.actions);
  }
  return { state, acts, last: (acts.at(-1) ?? []).map(words) };
}

const words = (act: LoopAction<string>): string => {
  switch (act.do) {
    case 'give-back':
      return `give back ${act.message}`;
    case 'ask':
      return `ask${act.message === null ? '' : ` ${act.message}`}${act.mayCall ? '' : ' without calls'}${act.insteadOf === null ? '' : ` instead of ${act.insteadOf}`}`;
    case 'run':
      return act.refused === null ? 'run' : `refuse: ${act.refused}`;
    case 'end-answer':
    case 'end-calls':
      return act.do;
  }
};

describe('a turn', () => {
  it('goes from the message to the answer, its calls, and on by itself until an answer has none', () => {
    expect(play(said('a')).last).toEqual(['ask a']);
    expect(play(said('a'), calls).last).toEqual(['run']);
    expect(play(said('a'), calls, results).last).toEqual(['ask']);
    expect(play(said('a'), calls, results, text)).toMatchObject({
      last: [],
      state: { doing: 'idle', canContinue: false },
    });
  });

  it('runs n rounds of calls, refuses those of the next, and asks once more without calls', () => {
    const round = [calls, results];
    expect(play(said('a'), ...round, calls).last).toEqual(['run']);
    expect(play(said('a'), ...round, ...round, calls).last).toEqual(['refuse: rounds']);
    const enough = [said('a'), ...round, ...round, ...round];
    expect(play(...enough).last).toEqual(['ask without calls']);
    expect(play(...enough, text).state).toMatchObject({ doing: 'idle', canContinue: true });
    // A model that calls all the same is refused, and not asked again, whatever the settings have become.
    const unasked = { ...IDLE_STATE, doing: 'answer', mayCall: false } as const;
    expect(step<string>(unasked, calls, 100).actions).toEqual([{ do: 'run', refused: 'rounds' }]);
    expect(play(...enough, calls).last).toEqual(['refuse: rounds']);
    expect(play(...enough, calls, results)).toMatchObject({ last: [], state: { doing: 'idle', canContinue: true } });
    // “Continue” gives n rounds more.
    expect(play(...enough, text, goOn).last).toEqual(['ask']);
    expect(play(...enough, text, goOn, ...round, calls).last).toEqual(['run']);
    expect(play(...enough, text, goOn, ...round, ...round, calls).last).toEqual(['refuse: rounds']);
  });

  it('runs nothing of a message that broke off, and does not go on by itself', () => {
    expect(play(said('a'), broken).last).toEqual(['refuse: broke-off']);
    expect(play(said('a'), broken, results)).toMatchObject({
      last: [],
      state: { doing: 'idle', canContinue: false },
    });
    expect(play(said('a'), failed).state).toMatchObject({ doing: 'idle', canContinue: false });
  });

  it('does not go on where the model is not to have the results now', () => {
    expect(play(said('a'), calls, { type: 'results', goesOn: false })).toMatchObject({
      last: [],
      state: { doing: 'idle', canContinue: true },
    });
  });

  it('asks for an answer once more', () => {
    const again: Happened = { type: 'continued', insteadOf: 'm' };
    expect(play(said('a'), text, again).last).toEqual(['ask instead of m']);
    expect(play(said('a'), again).last).toEqual([]);
  });
});

describe('a message that is sent while it works', () => {
  it('goes with the results, and begins n rounds anew', () => {
    expect(play(said('a'), calls, said('b')).last).toEqual([]);
    expect(play(said('a'), calls, said('b'), results).last).toEqual(['ask b']);
    expect(play(said('a'), calls, results, calls, said('b'), results, calls).last).toEqual(['run']);
  });

  it('is a turn of its own where the model has ended, and is given back where it failed', () => {
    expect(play(said('a'), said('b'), text).last).toEqual(['ask b']);
    expect(play(said('a'), said('b'), broken, results).last).toEqual(['ask b']);
    expect(play(said('a'), said('b'), failed)).toMatchObject({ last: ['give back b'], state: { next: null } });
  });

  it('is one, and can be taken back', () => {
    expect(play(said('a'), said('b'), said('c')).state.next).toBe('b');
    expect(play(said('a'), said('b'), { type: 'taken-back' }, text)).toMatchObject({ last: [] });
  });
});

describe('Stop', () => {
  it('ends the answer, and what it had begun to call does not run', () => {
    expect(play(said('a'), stop)).toMatchObject({ last: ['end-answer'], state: { doing: 'idle' } });
    expect(play(said('a'), stopWithCalls)).toMatchObject({
      last: ['end-answer', 'refuse: stopped'],
      state: { doing: 'calls' },
    });
    expect(play(said('a'), stopWithCalls, results)).toMatchObject({
      last: [],
      state: { doing: 'idle', isStopped: false, canContinue: false },
    });
  });

  it('ends the calls, and goes on only when the person says so', () => {
    expect(play(said('a'), calls, stop).last).toEqual(['end-calls']);
    expect(play(said('a'), calls, stop, stop).last).toEqual([]);
    expect(play(said('a'), calls, stop, results)).toMatchObject({
      last: [],
      state: { doing: 'idle', canContinue: true },
    });
    expect(play(said('a'), calls, stop, results, goOn).last).toEqual(['ask']);
  });

  it('gives back what waited; what is sent after it goes when all has ended', () => {
    expect(play(said('a'), said('b'), stop).last).toEqual(['end-answer', 'give back b']);
    expect(play(said('a'), calls, said('b'), stop).last).toEqual(['end-calls', 'give back b']);
    expect(play(said('a'), calls, stop, said('b'), results).last).toEqual(['ask b']);
  });

  it('does nothing where nothing goes on', () => {
    expect(play(stop)).toMatchObject({ last: [], state: IDLE_STATE });
    expect(play(said('a'), text, stop).last).toEqual([]);
  });
});

it('whatever happens: no calls run but of a whole answer, never more rounds than allowed, no message is lost', () => {
  let seed = 1;
  const chance = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const all = [text, calls, broken, failed, results, stop, stopWithCalls, goOn, { type: 'taken-back' } as const];
  for (let game = 0; game < 2000; game += 1) {
    let state: LoopState<string> = IDLE_STATE;
    let rounds = 0;
    let sent = 0;
    const kept = new Set<string>();
    for (let turn = 0; turn < 60; turn += 1) {
      const pick = chance(all.length + 3);
      const happened = all[pick] ?? said(`m${(sent += 1)}`);
      const before = state;
      const { state: after, actions: acts } = step(state, happened, MOST);
      state = after;
      for (const act of acts) {
        const message = act.do === 'ask' || act.do === 'give-back' ? act.message : null;
        if (message !== null) {
          expect(kept.has(message)).toBe(false);
          kept.add(message);
        }
        if (act.do === 'ask' && (message !== null || happened === goOn)) rounds = 0;
        if (act.do === 'run' && act.refused === null) {
          rounds += 1;
          expect(happened).toBe(calls);
          expect(before).toMatchObject({ doing: 'answer', isStopped: false });
          expect(rounds).toBeLessThanOrEqual(MOST);
        }
        if (act.do === 'ask') expect(state.doing).toBe('answer');
      }
      if (happened.type === 'taken-back' && before.next !== null) kept.add(before.next);
      if (happened.type === 'said' && before.next !== null) kept.add(happened.message);
    }
    // What is not told of waits still.
    const told = Array.from({ length: sent }, (_, index) => `m${index + 1}`).filter((message) => !kept.has(message));
    expect(told).toEqual(state.next === null ? [] : [state.next]);
  }
});
