import { beforeEach, expect, it } from 'vitest';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { AnswerEnd, StoredMessage } from '../../domain/conversation/message.js';
import type { RecordedCallResult } from '../../domain/ports/conversation/conversation-record.js';
import { ENOUGH_ROUNDS } from './refusals.js';
import { canContinue, messagesOf, roundsIn } from './can-continue.js';

const message = (id: string, said: StoredMessage['said']): StoredMessage => ({
  id,
  conversationId: 'c',
  parent: null,
  at: 0,
  said,
});
const person = message('p', { by: 'person', parts: [] });
const answer = (state: AnswerEnd['state'], ...callIds: readonly string[]): StoredMessage =>
  message(`a-${callIds.join()}`, {
    by: 'assistant',
    blocks: [
      { kind: 'text', text: '' },
      ...callIds.map((callId) => ({ kind: 'call', id: callId, name: 'x', arguments: {}, kept: null, callId }) as const),
    ],
    end: { state, failure: null },
    foot: null,
  });
const results =
  (settled: Readonly<Record<string, Failure | null>>) =>
  (ids: readonly string[]): ReadonlyMap<string, RecordedCallResult> =>
    new Map(
      ids.map((callId) => {
        const failure = settled[callId];
        const result = failure === undefined ? null : { content: '', failure, isOutput: true };
        return [callId, { callId, tool: 'x', about: '', result, discarded: false, edited: false }];
      }),
    );

const read: string[] = [];
function* newestFirst(branch: readonly StoredMessage[]): Generator<StoredMessage> {
  for (const each of branch.toReversed()) {
    read.push(each.id);
    yield each;
  }
}
beforeEach(() => void read.splice(0));

it.each([
  ['nothing was said', [], {}, false],
  ['a message that nobody answered', [person], {}, true],
  ['an answer', [person, answer('whole')], {}, false],
  ['all results are in', [person, answer('whole', 'a', 'b')], { a: null, b: null }, true],
  ['some are not', [person, answer('whole', 'a', 'b')], { a: null }, false],
  ['it broke off', [person, answer('broke-off', 'a')], { a: null }, false],
  ['it was stopped', [person, answer('stopped')], {}, false],
  ['it said where it stands', [person, answer('whole', 'a'), answer('whole')], { a: ENOUGH_ROUNDS }, true],
  ['an answer after calls', [person, answer('whole', 'a'), answer('whole')], { a: null }, false],
] as const)('could go on: %s', (_words, branch, settled, expected) => {
  expect(canContinue(newestFirst(branch), results(settled))).toBe(expected);
});

it('counts the rounds since the person spoke, and finds who asked for calls', () => {
  const branch = [person, answer('whole', 'a'), person, answer('whole', 'b'), answer('whole', 'c'), answer('whole')];
  expect(roundsIn(newestFirst(branch))).toBe(2);
  const found = (...calls: readonly string[]) => [...messagesOf(newestFirst(branch), calls)].map(({ id }) => id);
  expect(found('b', 'zzz', 'a')).toEqual(['a-b', 'a-a']);
  expect(found('zzz')).toEqual([]);
});

it('reads no more of a long conversation than it needs', () => {
  const branch = [
    person,
    answer('whole', 'a'),
    person,
    answer('whole', 'b'),
    answer('whole', 'c'),
    answer('whole', 'd'),
  ];
  canContinue(newestFirst(branch), results({ d: null }));
  expect(read).toEqual(['a-d']);
  read.splice(0);
  roundsIn(newestFirst(branch));
  expect(read).toEqual(['a-d', 'a-c', 'a-b', 'p']);
  read.splice(0);
  expect([...messagesOf(newestFirst(branch), ['c'])]).toHaveLength(1);
  expect(read).toEqual(['a-d', 'a-c']);
});
