import { describe, expect, it } from 'vitest';
import { AnswerParts } from './answer-parts.js';

const DONE = { type: 'ended', why: 'done' } as const;
const FAILED = { type: 'failed', failure: { fault: 'broke-off', message: 'It broke off.' } } as const;
type Event = Parameters<AnswerParts['take']>[0];

function answer(...events: readonly Event[]): AnswerParts {
  const parts = new AnswerParts();
  for (const event of events) parts.take(event);
  return parts;
}
const text = (block: number, said: string): Event => ({ type: 'text', block, text: said });
const began = (block: number, id = `c${block}`, name = 'read_file'): Event => ({ type: 'call-began', block, id, name });
const args = (block: number, piece: string): Event => ({ type: 'call-arguments', block, text: piece });
const closed = (block: number, kept: { readonly signature: string } | null = null): Event => ({
  type: 'block-ended',
  block,
  kept,
});
const call = (block: number, ...pieces: readonly string[]): readonly Event[] => [
  began(block),
  ...pieces.map((piece) => args(block, piece)),
  closed(block),
];

it('gives the blocks in the order in which they began, and what their provider wants back', () => {
  const whole = answer(
    { type: 'reasoning', block: 0, text: 'hm' },
    closed(0, { signature: 's' }),
    text(1, 'I look'),
    ...call(2, '{"path":', '"a.ts"}'),
    text(1, ' there.'),
    { type: 'used', usage: { inputTokens: 1, outputTokens: 2, cost: null } },
  );
  expect(whole.ended(DONE)).toEqual({
    end: { state: 'whole', failure: null },
    blocks: [
      { kind: 'reasoning', text: 'hm', kept: { signature: 's' } },
      { kind: 'text', text: 'I look there.' },
      { kind: 'call', id: 'c2', name: 'read_file', arguments: { path: 'a.ts' }, soFar: null, kept: null },
    ],
  });
  expect(whole.usage).toEqual({ inputTokens: 1, outputTokens: 2, cost: null });
});

it('numbers say which comes first, whichever was heard first', () => {
  expect(
    answer(text(1, 'b'), text(0, 'a'))
      .ended(DONE)
      .blocks.map((block) => 'text' in block && block.text),
  ).toEqual(['a', 'b']);
});

describe('what never runs', () => {
  const brokenOff = (parts: AnswerParts) => parts.ended(DONE).end.state;

  it('a block that did not close, though its protocol said the closing word', () => {
    expect(brokenOff(answer(began(0), args(0, '{}')))).toBe('broke-off');
    expect(brokenOff(answer(...call(0, '{}'), began(1)))).toBe('broke-off');
    const { end, blocks } = answer(began(0), args(0, '{"whole":1}')).ended(DONE);
    expect(end.failure?.message).toContain('in the middle of a call');
    // However whole it looks, more may have been meant to come.
    expect(blocks).toEqual([
      { kind: 'call', id: 'c0', name: 'read_file', arguments: {}, soFar: '{"whole":1}', kept: null },
    ]);
  });

  it.each(['{"a":', '[]', '"a"', 'null', '1', '{}{}', '{a:1}', 'undefined', '{"a":1,}'])(
    'arguments that are no JSON object: %s',
    (piece) => {
      const parts = answer(text(0, 'so'), ...call(1, piece), ...call(2, '{}'));
      expect(brokenOff(parts)).toBe('broke-off');
      expect(parts.ended(DONE).blocks[1]).toMatchObject({ arguments: {}, soFar: piece });
    },
  );

  it.each(['', '  ', '\n'])('nothing at all is an empty object: %j', (piece) => {
    expect(answer(...call(0, piece)).ended(DONE)).toMatchObject({
      end: { state: 'whole' },
      blocks: [{ arguments: {}, soFar: null }],
    });
  });

  it.each(['length', 'refused', 'filtered'] as const)('anything of an answer that ended by %s', (why) => {
    const { end } = answer(...call(0, '{}')).ended({ type: 'ended', why });
    expect(end.state).toBe(why === 'length' ? 'length' : 'refused');
    expect(end.failure?.message).toMatch(/\.$/u);
  });

  it('anything of one that broke off or was stopped', () => {
    expect(answer(...call(0, '{}')).ended(FAILED).end).toEqual({ state: 'broke-off', failure: FAILED.failure });
    expect(answer(...call(0, '{}')).ended({ type: 'stopped' }).end).toEqual({ state: 'stopped', failure: null });
    expect(answer().ended(FAILED).end.state).toBe('failed');
  });
});

it('an answer with nothing in it is empty', () => {
  expect(answer().ended(DONE).end.state).toBe('empty');
  expect(answer(text(0, ' \n'), { type: 'reasoning', block: 1, text: 'hm' }).ended(DONE).end.state).toBe('empty');
});

it('a server that goes on for ever is not listened to for ever', () => {
  const parts = new AnswerParts();
  const piece = text(0, 'x'.repeat(2 ** 20));
  let taken = 0;
  while (parts.take(piece) === null) taken += 1;
  expect(taken).toBe(8);
});

it('nor one that begins more and more: what came before is kept', () => {
  const parts = new AnswerParts();
  let blocks = 0;
  while (parts.take(began(blocks)) === null) blocks += 1;
  expect(blocks).toBe(1100);
  expect(parts.take(text(2000, 'x'))).toMatchObject({ fault: 'broke-off', message: expect.stringContaining('1100') });
  expect(parts.take(args(3, '{}'))).toBeNull();
  expect(parts.ended(FAILED).blocks).toHaveLength(1100);
});
