import { expect, it, onTestFinished, vi } from 'vitest';
import { BROKE, DONE, call, doing, openLoop, preparedFor, text, turns } from './loop.test-support.js';
import type { PreparedRequest } from './speaker.js';

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
  const first = Promise.withResolvers<PreparedRequest>();
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
