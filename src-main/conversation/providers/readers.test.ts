import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ModelEvent } from '../../domain/ports/conversation/model.js';
import { anthropicEvents } from '../../tests/model-server/anthropic-events.test-support.js';
import { googleEvents } from '../../tests/model-server/google-events.test-support.js';
import { openAiEvents } from '../../tests/model-server/openai-events.test-support.js';
import type { ScriptedTurn } from '../../tests/model-server/turns.test-support.js';
import { type AnswerReader, BrokenAnswer } from './answer-reader.js';
import { AnthropicReader } from './anthropic-reader.js';
import { ChatReader } from './chat-reader.js';
import { GoogleReader } from './google-reader.js';

const TURN: ScriptedTurn = {
  blocks: [
    { reasoning: 'hm', signature: 's' },
    { text: 'one two' },
    { call: 'a', id: '1', arguments: { path: 'x' } },
    { call: 'b', id: '2', arguments: { path: 'y' } },
    { text: 'after' },
  ],
  interleaved: true,
  piece: 3,
};
const SPOKEN = [
  ['anthropic', anthropicEvents, () => new AnthropicReader()],
  ['chat', openAiEvents, () => new ChatReader('openai')],
  ['google', googleEvents, () => new GoogleReader()],
] as const;

const dataOf = (events: readonly string[]): readonly JsonObject[] =>
  events.flatMap((text) => {
    const data = /^data: (\{.*)$/mu.exec(text)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as JsonObject];
  });

/** Reads all events, and tells whether the answer broke off. Anything but a `BrokenAnswer` is a fault of the reader. */
function readAll(reader: AnswerReader, events: readonly JsonObject[]) {
  const got: ModelEvent[] = [];
  try {
    for (const event of events) got.push(...reader.read(event, ''));
  } catch (error) {
    expect(error).toBeInstanceOf(BrokenAnswer);
    return { got, why: null };
  }
  return { got, why: reader.closed };
}

const MIXED = fc.oneof(
  { weight: 6, arbitrary: fc.record({ at: fc.nat(200), act: fc.constantFrom('drop', 'repeat', 'swap', 'keep') }) },
  { weight: 1, arbitrary: fc.record({ at: fc.nat(200), act: fc.constant('noise'), noise: fc.jsonValue() }) },
);

test.each(SPOKEN)(
  '%s: whatever happens to the events, a block begins and ends once, and nothing comes after',
  (_name, speak, make) => {
    const whole = dataOf(speak(TURN, 1, 'm'));
    expect(readAll(make(), whole).why).toBe('done');
    fc.assert(
      fc.property(fc.array(MIXED, { maxLength: 6 }), (changes) => {
        const events = [...whole] as unknown[];
        for (const change of changes) {
          const at = change.at % Math.max(1, events.length);
          if (change.act === 'drop') events.splice(at, 1);
          if (change.act === 'repeat') events.splice(at, 0, events[at]);
          if (change.act === 'swap') events.splice(at, 2, ...events.slice(at, at + 2).toReversed());
          if ('noise' in change) events.splice(at, 0, change.noise);
        }
        const objects = events.filter((event) => typeof event === 'object' && event !== null && !Array.isArray(event));
        const { got, why } = readAll(make(), objects as JsonObject[]);
        const began = got.flatMap((event) => (event.type === 'call-began' ? [event.block] : []));
        const ended = got.flatMap((event) => (event.type === 'block-ended' ? [event.block] : []));
        expect(new Set(began).size).toBe(began.length);
        expect(new Set(ended).size).toBe(ended.length);
        const over = new Set<number>();
        for (const event of got) {
          if ('block' in event) expect(over.has(event.block)).toBe(false);
          if (event.type === 'block-ended') over.add(event.block);
        }
        // After `done`, every call that began has closed.
        if (why === 'done') expect(began.every((block) => ended.includes(block))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  },
);

test('A call ends with the block of Anthropic, with the message of OpenAI, and never by its arguments being JSON', () => {
  for (const [name, speak, make] of SPOKEN.slice(0, 2)) {
    const whole = dataOf(speak(TURN, 1, 'm'));
    const closing = whole.findIndex((event) =>
      JSON.stringify(event).includes(name === 'anthropic' ? '_block_stop","index":2' : '"tool_calls","'),
    );
    const at =
      name === 'chat'
        ? whole.findIndex((event) => JSON.stringify(event).includes('"finish_reason":"tool_calls"'))
        : closing;
    const calls = ({ got }: ReturnType<typeof readAll>) =>
      got.flatMap((event) => (event.type === 'call-began' ? [event.block] : []));
    const before = readAll(make(), whole.slice(0, at));
    expect(before.got.some((event) => event.type === 'block-ended' && calls(before).includes(event.block))).toBe(false);
    const after = readAll(make(), whole.slice(0, at + 1));
    expect(after.got.some((event) => event.type === 'block-ended' && calls(after).includes(event.block))).toBe(true);
  }
});

test('A call without a name is one all the same: the gate says that there is no such tool', () => {
  for (const [, speak, make] of SPOKEN.slice(0, 2)) {
    const { got } = readAll(make(), dataOf(speak({ blocks: [{ call: '', id: 'x', arguments: {} }] }, 1, 'm')));
    expect(got).toContainEqual(expect.objectContaining({ type: 'call-began', name: '' }));
    expect(got).toContainEqual(expect.objectContaining({ type: 'block-ended' }));
  }
});

/** Streams of servers that are nearly compatible, as observed. */
test.each([
  [
    'every call numbered 0',
    [
      { index: 0, id: 'x', function: { name: 'a', arguments: '{}' } },
      { index: 0, id: 'y', function: { name: 'b', arguments: '{}' } },
    ],
  ],
  [
    'calls without a number',
    [
      { id: 'x', function: { name: 'a', arguments: '{}' } },
      { id: 'y', function: { name: 'b', arguments: '{}' } },
    ],
  ],
  [
    'arguments as an object',
    [
      { index: 0, id: 'x', function: { name: 'a', arguments: {} } },
      { index: 1, id: 'y', function: { name: 'b', arguments: {} } },
    ],
  ],
])('OpenAI-compatible, %s', (_what, calls) => {
  const reader = new ChatReader('openai-compatible');
  const chunks = calls.map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: '' }] }));
  const { got, why } = readAll(reader, [
    ...chunks,
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
  ] as readonly JsonObject[]);
  expect(why).toBe('done');
  expect(got).toEqual([
    { type: 'call-began', block: 0, id: 'x', name: 'a' },
    { type: 'call-arguments', block: 0, text: '{}' },
    { type: 'call-began', block: 1, id: 'y', name: 'b' },
    { type: 'call-arguments', block: 1, text: '{}' },
    { type: 'block-ended', block: 0, kept: null },
    { type: 'block-ended', block: 1, kept: null },
  ]);
});

test('An end for an unknown reason is none that anything may run after', () => {
  expect(readAll(new ChatReader('openai'), [{ choices: [{ delta: {}, finish_reason: 'tired' }] }]).why).toBeNull();
  const stops = [
    { type: 'message_start', message: {} },
    { type: 'message_delta', delta: { stop_reason: 'tired' } },
    { type: 'message_stop' },
  ];
  expect(readAll(new AnthropicReader(), stops).why).toBeNull();
  expect(
    readAll(new AnthropicReader(), [{ type: 'message_start', message: {} }, { type: 'message_stop' }]).why,
  ).toBeNull();
});

test('A second beginning breaks an answer of Anthropic, wherever it comes', () => {
  const whole = dataOf(anthropicEvents(TURN, 1, 'm'));
  const [start = {}] = whole;
  for (let at = 1; at <= whole.length; at += 1)
    expect(readAll(new AnthropicReader(), whole.toSpliced(at, 0, start)).why).toBeNull();
});

const STRANGE = ['["x"]', ['x'], 42, true];
const WITH_ARGUMENTS = [
  [
    'anthropic',
    () => new AnthropicReader(),
    (given: unknown) => [
      { type: 'message_start', message: {} },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'a', name: 'read_file', input: given },
      },
    ],
  ],
  [
    'chat',
    () => new ChatReader('openai'),
    (given: unknown) => [
      {
        choices: [
          { delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'read_file', arguments: given } }] } },
        ],
      },
    ],
  ],
  [
    'google',
    () => new GoogleReader(),
    (given: unknown) => [
      { candidates: [{ content: { parts: [{ functionCall: { name: 'read_file', args: given } }] } }] },
    ],
  ],
] as const;

test.each(WITH_ARGUMENTS)(
  '%s: arguments that are no object are told as they came, not as none',
  (_name, make, speak) => {
    for (const given of STRANGE) {
      const { got } = readAll(make(), speak(given) as unknown as readonly JsonObject[]);
      const written = got.map((event) => (event.type === 'call-arguments' ? event.text : '')).join('');
      expect(written).toBe(_name === 'chat' && typeof given === 'string' ? given : JSON.stringify(given));
    }
  },
);
