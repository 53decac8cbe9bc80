import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ModelEvent, ModelFailure } from '../../domain/ports/conversation/model.js';
import { openLoop, preparedFor, turns } from './loop.test-support.js';
import type { Prepared } from './speaker.js';

const DONE: ModelEvent = { type: 'ended', why: 'done' };
const text = (said: string): ModelEvent => ({ type: 'text', block: 0, text: said });
const call = (block: number, id = `c${block}`, name = 'read_file', args = '{}'): readonly ModelEvent[] => [
  { type: 'call-began', block, id, name },
  { type: 'call-arguments', block, text: args },
  { type: 'block-ended', block, kept: null },
];
const BROKE: ModelEvent = { type: 'failed', failure: { fault: 'broke-off', message: 'It broke off.' } };
const doing = ({ loop }: ReturnType<typeof openLoop>) => loop.working.doing.kind;

describe('a turn', () => {
  it('asks, gives all calls of the answer to the gate as one batch of its own, and goes on with the results', async () => {
    const talk = openLoop();
    await talk.say('hello');
    expect(doing(talk)).toBe('asking');
    await talk.answer().says(text('so'));
    expect(talk.loop.working.doing).toEqual({ kind: 'streaming', messageId: 'm1' });
    await talk.answer().says(...call(1, 'a', 'read_file', '{"path":"x"}'), ...call(2, 'b'), DONE);
    const [batch] = talk.batches;
    expect(batch?.request).toMatchObject({
      asker: { door: 'conversation', session: 'c', person: false, agent: null },
      folder: '/w',
      joinable: false,
      capacityBytes: 100,
      calls: [
        { requestId: 'a', tool: 'read_file', arguments: { path: 'x' } },
        { requestId: 'b', tool: 'read_file', arguments: {} },
      ],
    });
    expect(batch?.request.refuseAll).toBeUndefined();
    // FR-RES-01: the end of the answer, with its calls, was recorded with the batch.
    expect(talk.record.messages[1]?.said).toMatchObject({
      end: { state: 'whole' },
      blocks: [{ kind: 'text' }, { kind: 'call', id: 'a', callId: 'g0-0' }, { kind: 'call', id: 'b', callId: 'g0-1' }],
    });
    expect(doing(talk)).toBe('calls');
    expect(talk.answers).toHaveLength(1);
    await batch?.settle();
    expect(talk.answers).toHaveLength(2);
    expect(talk.state.closed).toBe(1);
    await talk.answer().says(text('done'), DONE);
    expect(talk.said()).toEqual(['hello', 'whole', 'whole']);
    expect(talk.loop.working).toMatchObject({
      doing: { kind: 'idle' },
      canContinue: false,
      context: { usedTokens: 1 },
    });
    expect(talk.troubles).toEqual([]);
  });

  it('keeps to the settings of when the person spoke, until they speak again', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(...call(0), DONE);
    await talk.batches[0]?.settle();
    expect(talk.state).toMatchObject({ speakers: 1, spoke: 1 });
    await talk.answer().says(DONE);
    await talk.say('b');
    expect(talk.state).toMatchObject({ speakers: 2, spoke: 2 });
  });

  it('FR-RES-03: the calls of round n + 1 are refused, and the last request may not call', async () => {
    const talk = openLoop({ rounds: 1 });
    await talk.say('a');
    await talk.answer().says(...call(0), DONE);
    await talk.batches[0]?.settle();
    await talk.answer().says(...call(0), DONE);
    expect(talk.batches[1]?.request.refuseAll).toEqual({
      code: 'LimitsExceeded',
      message: 'Max tool iterations reached',
    });
    expect(talk.record.messages[2]?.said).toMatchObject({ end: { state: 'whole' } });
    await talk.batches[1]?.settle();
    expect(talk.answer().request.toolChoice).toBe('none');
    await talk.answer().says(text('so far'), DONE);
    expect(talk.loop.working).toMatchObject({ doing: { kind: 'idle' }, canContinue: true });
  });

  it('rests where the model is not to have the results, or the journal could not hold them', async () => {
    const off = openLoop();
    off.state.goesOn = false;
    const sick = openLoop();
    for (const talk of [off, sick]) {
      await talk.say('a');
      await talk.answer().says(...call(0), ...call(1), DONE);
      await talk.batches[0]?.settle(true, talk === off);
      expect(talk.answers).toHaveLength(1);
      expect(talk.loop.working).toMatchObject({ doing: { kind: 'idle' }, canContinue: true });
    }
  });

  it('tells the gate the model’s own ids, whatever they are', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(...call(0, 'same'), ...call(1, 'same'), ...call(2, ''), DONE);
    expect(talk.batches[0]?.request.calls.map(({ requestId }) => requestId)).toEqual(['same', 'same', null]);
  });
});

describe('an answer that does not end as it should', () => {
  it.each([
    ['broke-off', [BROKE]],
    ['broke-off', [{ type: 'call-began', block: 5, id: 'x', name: 'y' }, DONE]],
    ['length', [{ type: 'ended', why: 'length' }]],
    ['refused', [{ type: 'ended', why: 'filtered' }]],
  ] as const)('runs none of its calls: %s', async (state, end) => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(text('so'), ...call(1), ...end);
    expect(talk.batches[0]?.request.refuseAll).toMatchObject({ code: 'Interrupted' });
    expect(talk.said()).toEqual(['a', state]);
    await talk.batches[0]?.settle();
    expect(talk.answers).toHaveLength(1);
    expect(talk.loop.working).toMatchObject({ doing: { kind: 'idle' }, canContinue: false });
  });

  it('of more calls than anybody asks for at once ends there, and says so', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(...Array.from({ length: 1200 }, (_, block) => call(block)).flat(), DONE);
    expect(talk.answer().signal.aborted).toBe(true);
    expect(talk.batches[0]?.request.calls).toHaveLength(1100);
    expect(talk.batches[0]?.request.refuseAll).toMatchObject({ code: 'Interrupted' });
    expect(talk.record.messages[1]?.said).toMatchObject({
      end: { state: 'broke-off', failure: { message: expect.stringContaining('more than 1100 parts') } },
    });
    expect(talk.record.noted).toHaveLength(1100);
  });

  it('whose ids and names have no end is not kept with them', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(...call(0, 'i'.repeat(100_000), 'n'.repeat(100_000)), ...call(1, 'i'.repeat(256)), DONE);
    expect(talk.batches[0]?.request.calls).toMatchObject([
      { requestId: null, tool: 'n'.repeat(256) },
      { requestId: 'i'.repeat(256), tool: 'read_file' },
    ]);
    expect(talk.record.noted).toEqual([
      { id: '', name: 'n'.repeat(256) },
      { id: 'i'.repeat(256), name: 'read_file' },
    ]);
  });

  it('that could not be asked for, or said nothing, is told', async () => {
    const failed = openLoop({ prepare: async () => ({ fault: 'too-long', message: 'Too long.' }) });
    await failed.say('a');
    expect(failed.record.messages[1]?.said).toMatchObject({ end: { state: 'failed', failure: { fault: 'too-long' } } });
    const empty = openLoop();
    await empty.say('a');
    await empty.answer().says(DONE);
    expect(empty.said()).toEqual(['a', 'empty']);
    for (const talk of [failed, empty]) expect(talk.loop.working.doing.kind).toBe('idle');
  });

  it('is asked for again beside itself', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(text('half'), BROKE);
    talk.loop.goOn('m1');
    await turns();
    await talk.answer().says(text('whole'), DONE);
    expect(talk.said()).toEqual(['a', 'whole']);
  });

  it('a wait of its server is told, and what comes after it', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says({ type: 'waiting', seconds: 25, why: 'rate-limit' });
    expect(talk.loop.working.doing).toEqual({ kind: 'waiting', seconds: 25, why: 'rate-limit' });
    await talk.answer().says(text('so'));
    expect(doing(talk)).toBe('streaming');
  });
});

describe('while a long answer is looked through', () => {
  const looking = async () => {
    const talk = openLoop();
    const looked = Promise.withResolvers<void>();
    talk.record.lookedThrough = looked.promise;
    await talk.say('a');
    await talk.answer().says(text('so'), ...call(1), DONE);
    expect(talk.said()).toEqual(['a', 'streaming']);
    expect(talk.batches).toEqual([]);
    return { talk, looked };
  };

  it('nothing of it runs, and then it does', async () => {
    const { talk, looked } = await looking();
    looked.resolve();
    await turns();
    expect(talk.said()).toEqual(['a', 'whole']);
    expect(talk.batches).toHaveLength(1);
    expect(talk.batches[0]?.request.refuseAll).toBeUndefined();
  });

  it('Stop ends it as it is, once', async () => {
    const { talk, looked } = await looking();
    talk.loop.stop();
    expect(talk.said()).toEqual(['a', 'stopped']);
    looked.resolve();
    await turns();
    expect(talk.said()).toEqual(['a', 'stopped']);
    expect(talk.batches).toHaveLength(1);
    expect(talk.batches[0]?.request.refuseAll).toMatchObject({ code: 'Cancelled' });
  });
});

describe('Stop', () => {
  it('ends the stream and keeps what came', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(text('half'));
    expect(talk.loop.stop()).toBeNull();
    expect(talk.answer().signal.aborted).toBe(true);
    expect(talk.said()).toEqual(['a', 'stopped']);
    expect(talk.record.messages[1]?.said).toMatchObject({ blocks: [{ text: 'half' }] });
    // What still comes of it is nobody's.
    await talk.answer().says(...call(1), DONE);
    expect(talk.batches).toEqual([]);
    expect(talk.said()).toEqual(['a', 'stopped']);
  });

  it('before anything came: while the server waits, while it is prepared, while the message is recorded', async () => {
    const gate = Promise.withResolvers<Prepared | ModelFailure>();
    const preparing = openLoop({ prepare: () => gate.promise });
    await preparing.say('a');
    preparing.loop.stop();
    gate.resolve(preparedFor(true));
    await turns();
    expect(preparing.answers).toEqual([]);
    expect(preparing.said()).toEqual(['a', 'stopped']);

    const recording = openLoop();
    const said = recording.say('a');
    recording.loop.stop();
    await said;
    expect(recording.said()).toEqual(['a']);
    expect(recording.answers).toEqual([]);

    const waiting = openLoop();
    await waiting.say('a');
    await waiting.answer().says({ type: 'waiting', seconds: 9, why: 'overloaded' });
    waiting.loop.stop();
    expect(waiting.answer().signal.aborted).toBe(true);
    for (const talk of [preparing, recording, waiting]) expect(talk.loop.working.doing.kind).toBe('idle');
  });

  it('of an answer that had begun calls records that they did not run', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(...call(0), { type: 'call-began', block: 1, id: 'half', name: 'run_command' });
    talk.loop.stop();
    expect(talk.batches[0]?.request).toMatchObject({
      refuseAll: { code: 'Cancelled' },
      calls: [{}, { tool: 'run_command' }],
    });
    expect(talk.said()).toEqual(['a', 'stopped']);
    await talk.batches[0]?.settle();
    expect(talk.loop.working).toMatchObject({ doing: { kind: 'idle' }, canContinue: false });
    expect(talk.answers).toHaveLength(1);
  });

  it('ends the batch, and does not go on', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(...call(0), DONE);
    talk.loop.stop();
    expect(talk.state.stopped).toEqual(['b0']);
    await talk.batches[0]?.settle();
    expect(talk.answers).toHaveLength(1);
    expect(talk.loop.working).toMatchObject({ doing: { kind: 'idle' }, canContinue: true });
    talk.loop.goOn(null);
    await turns();
    expect(talk.answers).toHaveLength(2);
  });
});

describe('the next message', () => {
  it('goes with the results, by the settings of now', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.answer().says(...call(0), DONE);
    await talk.say('b');
    expect(talk.loop.working.next).toMatchObject({ text: 'b' });
    await talk.batches[0]?.settle();
    expect(talk.said()).toEqual(['a', 'whole', 'b', 'streaming']);
    expect(talk.state.speakers).toBe(2);
    expect(talk.loop.working.next).toBeNull();
  });

  it('is taken back, and given back by Stop and where the answer failed', async () => {
    const talk = openLoop();
    await talk.say('a');
    await talk.say('b');
    expect(talk.loop.takeBack()).toMatchObject({ text: 'b' });
    expect(talk.loop.takeBack()).toBeNull();
    await talk.say('c');
    expect(talk.loop.stop()).toMatchObject({ text: 'c' });
    expect(talk.record.draft).toBe('c');
    await talk.say('d');
    await talk.say('e');
    await talk.answer().says(BROKE);
    expect(talk.record.draft).toBe('e');
    expect(talk.loop.working.next).toBeNull();
    const told = talk.published.flatMap((event) => (event.type === 'given-back' ? [event.unsent.text] : []));
    expect(told, 'Stop gives it to who pressed it').toEqual(['e']);
  });
});

it('a message that can’t be recorded was not sent: it is given back, and nobody is asked', async () => {
  const talk = openLoop();
  talk.record.problem = new Error('The disk is full.');
  await talk.say('a');
  expect(talk.troubles).toHaveLength(1);
  expect(talk.answers).toEqual([]);
  expect(talk.record.draft).toBe('a');
  expect(doing(talk)).toBe('idle');
  talk.record.problem = null;
  await talk.say('a');
  // Nor is anything run of an answer whose end can't be.
  talk.record.problem = new Error('The disk is full.');
  await talk.answer().says(text('so'), DONE);
  expect(talk.troubles).toHaveLength(2);
  expect(doing(talk)).toBe('idle');
  // It is ended once that can be.
  talk.record.problem = null;
  await talk.say('b');
  expect(talk.said().slice(0, 2)).toEqual(['a', 'whole']);
});

it('where the end of an answer and its calls could not be recorded, it is ended as broken off once that can be', async () => {
  const talk = openLoop();
  await talk.say('a');
  talk.record.problem = new Error('The disk is full.');
  await talk.answer().says(...call(0), DONE);
  expect(talk.said()).toEqual(['a', 'streaming']);
  await talk.batches[0]?.settle(false);
  expect(talk.answers).toHaveLength(1);
  expect(doing(talk)).toBe('idle');
  expect(talk.said()).toEqual(['a', 'streaming']);
  talk.record.problem = null;
  await talk.say('b');
  expect(talk.said()).toEqual(['a', 'broke-off', 'b', 'streaming']);
});

it('calls of before this start are waited for, and then it goes on or rests', async () => {
  for (const goesOn of [true, false]) {
    const talk = openLoop();
    const settled = Promise.withResolvers<boolean>();
    talk.loop.takeUp({ messageId: 'm', stop: () => undefined, settled: settled.promise }, 1);
    expect(talk.loop.working.doing).toEqual({ kind: 'calls', messageId: 'm' });
    settled.resolve(goesOn);
    await turns();
    expect(talk.answers).toHaveLength(goesOn ? 1 : 0);
    expect(talk.loop.working.canContinue).toBe(!goesOn);
  }
});

it('when the app ends, the answer is ended and nothing more is asked', async () => {
  const answering = openLoop();
  await answering.say('a');
  await answering.answer().says(text('half'));
  await answering.loop.close();
  expect(answering.said()).toEqual(['a', 'stopped']);
  const calling = openLoop();
  await calling.say('a');
  await calling.answer().says(...call(0), DONE);
  const closed = calling.loop.close();
  await calling.batches[0]?.settle();
  await closed;
  expect(calling.answers).toHaveLength(1);
});

it('what comes is shown at most sixty times a second, and all of it', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const talk = openLoop();
  await talk.say('a');
  const pieces = () => talk.published.flatMap((event) => (event.type === 'message-piece' ? [event.piece] : []));
  await talk.answer().says(text('one '), text('two '));
  expect(pieces()).toEqual([]);
  vi.advanceTimersByTime(16);
  await talk.answer().says(text('three'), { type: 'reasoning', block: 1, text: 'hm' });
  vi.advanceTimersByTime(16);
  expect(pieces()).toEqual([
    { conversationId: 'c', messageId: 'm1', block: 0, kind: 'text', at: 0, text: 'one two ' },
    { conversationId: 'c', messageId: 'm1', block: 0, kind: 'text', at: 8, text: 'three' },
    { conversationId: 'c', messageId: 'm1', block: 1, kind: 'reasoning', at: 0, text: 'hm' },
  ]);
});

it('a call that begins is told by itself, and nothing that was told before again', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const talk = openLoop();
  await talk.say('a');
  const told = () => talk.published.filter(({ type }) => type === 'message' || type === 'message-piece');
  await talk
    .answer()
    .says({ type: 'text', block: 1, text: 'so' }, { type: 'call-began', block: 2, id: 'x', name: 'read_file' });
  vi.advanceTimersByTime(16);
  // A block that says nothing is none.
  expect(told()).toEqual([
    {
      type: 'message-piece',
      piece: { conversationId: 'c', messageId: 'm1', block: 0, kind: 'text', at: 0, text: 'so' },
    },
    {
      type: 'message-piece',
      piece: { conversationId: 'c', messageId: 'm1', block: 1, kind: 'call', at: 0, text: 'read_file' },
    },
  ]);
  await talk.answer().says({ type: 'call-arguments', block: 2, text: '{}' });
  vi.advanceTimersByTime(16);
  expect(told()).toHaveLength(2);
});

it('an answer that ends without its closing word runs nothing, however whole its calls are', async () => {
  const talk = openLoop();
  await talk.say('a');
  await talk.answer().says(...call(0), 'silence');
  expect(talk.batches[0]?.request.refuseAll).toMatchObject({ code: 'Interrupted' });
  expect(talk.record.messages[1]?.said).toMatchObject({ end: { state: 'broke-off' } });
});

it('a message that is on record is not given back, whatever comes of its answer', async () => {
  const talk = openLoop({ prepare: () => Promise.reject(new Error('no disk')) });
  await talk.say('a');
  expect(talk.troubles).toHaveLength(1);
  expect(talk.published.filter(({ type }) => type === 'given-back')).toEqual([]);
  expect([talk.record.draft, doing(talk)]).toEqual(['', 'idle']);
});

it('of calls that were cut off the gate has as much as came', async () => {
  const talk = openLoop();
  await talk.say('a');
  await talk.answer().says({ type: 'call-began', block: 0, id: 'a', name: 'write_file' });
  await talk.answer().says({ type: 'call-arguments', block: 0, text: '{"path":"x' }, BROKE);
  expect(JSON.stringify(talk.batches[0]?.request.calls[0]?.arguments)).toContain('path');
});

it('what it does is not taken for its rest', async () => {
  const talk = openLoop();
  await talk.say('a');
  talk.loop.standsAt(true);
  expect(talk.loop.working).toMatchObject({ doing: { kind: 'asking' }, canContinue: false });
  expect(talk.loop.isIdle).toBe(false);
});

it('who wants it to go on has the settings of now', async () => {
  const talk = openLoop();
  await talk.say('a');
  await talk.answer().says(text('so'), DONE);
  talk.loop.goOn(null);
  await turns();
  expect(talk.state.speakers).toBe(2);
});

it('what is not shown yet when an answer ends is shown with the whole of it, and not after', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const talk = openLoop();
  await talk.say('a');
  await talk.answer().says(text('so'), DONE);
  await vi.advanceTimersByTimeAsync(100);
  expect(talk.published.filter(({ type }) => type === 'message-piece')).toEqual([]);
});

it('an answer that is stopped and breaks later is nothing to the one that came after it', async () => {
  const first = Promise.withResolvers<Prepared>();
  let asked = 0;
  const talk = openLoop({ prepare: async () => ((asked += 1) === 1 ? first.promise : preparedFor(true)) });
  await talk.say('a');
  talk.loop.stop();
  await talk.say('b');
  first.reject(new Error('too late'));
  await turns();
  expect([doing(talk), talk.troubles.length]).toEqual(['asking', 1]);
  await talk.answer().says(text('so'), DONE);
  expect(talk.said()).toEqual(['a', 'stopped', 'b', 'whole']);
});

it('how an answer ended is recorded once, and not changed by calls that were not', async () => {
  const talk = openLoop();
  const appended = vi.spyOn(talk.record, 'append');
  await talk.say('a');
  await talk.answer().says(text('so'), DONE);
  await talk.say('b');
  await talk.answer().says(...call(0), ...call(1), DONE);
  await talk.batches[0]?.settle(true, false);
  await talk.say('c');
  const ended = appended.mock.calls.flat(2).map((event) => 'messageId' in event && event.messageId);
  expect(ended).toEqual(['m1', 'm3']);
  expect(talk.said().slice(0, 4)).toEqual(['a', 'whole', 'b', 'whole']);
});

it('the app’s end waits until calls that an answer had begun are recorded as not run', async () => {
  const talk = openLoop();
  await talk.say('a');
  await talk.answer().says(...call(0));
  const closed = talk.loop.close().then(() => 'closed');
  expect(await Promise.race([closed, turns().then(() => 'waits')])).toBe('waits');
  await talk.batches[0]?.settle();
  expect(await closed).toBe('closed');
  expect(talk.answers).toHaveLength(1);
});
