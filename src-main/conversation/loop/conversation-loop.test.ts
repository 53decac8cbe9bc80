import { describe, expect, it } from 'vitest';
import type { ModelFailure } from '../../domain/ports/conversation/model.js';
import { BROKE, DONE, call, doing, openLoop, preparedFor, text, turns } from './loop.test-support.js';
import type { PreparedRequest } from './speaker.js';

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
    const gate = Promise.withResolvers<PreparedRequest | ModelFailure>();
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
