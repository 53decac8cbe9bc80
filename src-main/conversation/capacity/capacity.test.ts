import { describe, expect, it } from 'vitest';
import type { StoredBlock, StoredMessage } from '../../domain/conversation/message.js';
import type { RecordedCallResult, ResultPresentation } from '../../domain/ports/conversation/conversation-record.js';
import type { HistoryParts } from '../history/history.js';
import { fitHistory, type FittedHistory, isFitted } from './capacity.js';
import { BYTES_PER_TOKEN } from '../../domain/text/cut-to-context.js';
import { estimateTokens } from '../../domain/text/token-estimate.js';

const FRAME = { system: '', tools: [] };
const HOW = { alternating: true };
/** An answer with nothing in it, and the message with its results. */
const ALWAYS = 16;

/** A person’s message, and for each length an answer with one call whose result is so long; then, perhaps, the person again. */
function conversation(
  lengths: readonly number[],
  { wholeOnes = [], goesOn = true }: { readonly wholeOnes?: readonly number[]; readonly goesOn?: boolean } = {},
): HistoryParts {
  const person = (id: string): StoredMessage => ({
    id,
    conversationId: 'c',
    parent: null,
    at: 0,
    said: { by: 'person', parts: [{ kind: 'text', text: 'Look.' }] },
  });
  const answer = (at: number): StoredMessage => {
    const call: StoredBlock = {
      kind: 'call',
      id: `c${at}`,
      name: 'read_file',
      arguments: {},
      kept: null,
      callId: `call-${at}`,
    };
    return {
      id: `a${at}`,
      conversationId: 'c',
      parent: null,
      at: 0,
      said: { by: 'assistant', blocks: [call], end: { state: 'whole', failure: null }, foot: null },
    };
  };
  const results = lengths.map((length, at): [string, RecordedCallResult] => [
    `call-${at}`,
    {
      callId: `call-${at}`,
      tool: 'read_file',
      about: `f${at}.ts`,
      result: { content: 'ab1 '.repeat(length / 4), failure: null, isOutput: true },
      discarded: false,
      edited: false,
    },
  ]);
  const given = lengths.map((_, at): [string, ResultPresentation] => [
    `call-${at}`,
    { letters: 'abcdefgh', folding: wholeOnes.includes(at) ? 'wanted-whole' : 'none' },
  ]);
  return {
    branch: [person('p'), ...lengths.map((_, at) => answer(at)), ...(goesOn ? [person('q')] : [])],
    results: new Map(results),
    given: new Map(given),
  };
}

const limits = (contextTokens: number) => ({ contextTokens, reserveTokens: 1000, maxOutputTokens: 500 });

function fitted(kept: HistoryParts, contextTokens: number): FittedHistory {
  const found = fitHistory(kept, FRAME, limits(contextTokens), HOW);
  if (!isFitted(found)) throw new Error(found.message);
  return found;
}

describe('FR-REG-04b: what a context has left', () => {
  it('is the context without the reserve, a margin and the history, four bytes a token', () => {
    const { usedTokens, room, folded } = fitted(conversation([400]), 100_000);
    expect(room([])).toBe((100_000 - 1000 - 1024 - usedTokens - ALWAYS) * BYTES_PER_TOKEN);
    expect(folded).toEqual([]);
    expect(usedTokens).toBeGreaterThan(estimateTokens('ab1 '.repeat(100)));
  });

  it('leaves room for the longest answer where the reserve is less', () => {
    const kept = conversation([400]);
    const less = fitHistory(kept, FRAME, { contextTokens: 100_000, reserveTokens: 0, maxOutputTokens: 8192 }, HOW);
    const { usedTokens } = fitted(kept, 100_000);
    expect(isFitted(less) && less.room([])).toBe((100_000 - 8192 - 1024 - usedTokens - ALWAYS) * BYTES_PER_TOKEN);
  });

  it('takes the answer itself into account, and a frame for each of its calls', () => {
    const { room } = fitted(conversation([400]), 100_000);
    const call = {
      kind: 'call',
      id: 'x',
      name: 'read_file',
      arguments: { path: 'a'.repeat(9000) },
      kept: null,
    } as const;
    const tokens = estimateTokens(JSON.stringify(call.arguments)) + 96;
    expect((room([]) ?? 0) - (room([call]) ?? 0)).toBeGreaterThan(tokens * BYTES_PER_TOKEN);
    expect((room([call]) ?? 0) - (room([call, call]) ?? 0)).toBeGreaterThan(tokens * BYTES_PER_TOKEN);
  });

  it('counts what older results could give up where there is little else, and is none where not even that would do', () => {
    const kept = conversation([40_000, 400]);
    const { usedTokens, room } = fitted(kept, 31_000);
    expect(usedTokens).toBeLessThan(31_000 * 0.75);
    const text = { kind: 'text', text: 'a'.repeat(60_000) } as const;
    // Not more than a quarter: nothing is given up for the sake of results that are long.
    expect(room([text])).toBe(Math.floor((31_000 - 1000 - 1024) / 4) * BYTES_PER_TOKEN);
    expect(room([text, { ...text, text: 'a'.repeat(240_000) }])).toBeNull();
  });

  it('folds the oldest results first, and no more than it takes for a quarter to be free', () => {
    const kept = conversation([40_000, 40_000, 40_000, 40_000]);
    const whole = fitted(kept, 10_000_000).usedTokens;
    const context = Math.ceil((whole * 4) / 3) - 10;
    const { folded, usedTokens, history } = fitted(kept, context);
    expect(folded).toEqual(['call-0']);
    expect(usedTokens).toBeLessThanOrEqual((context * 3) / 4);
    expect(JSON.stringify(history)).toContain('[result of read_file f0.ts left out, 39 KB]');
    expect(fitted(kept, context + 20).folded).toEqual([]);
  });

  it('folds none that the person wants whole, nor what the model has not been given yet, where all of it fits', () => {
    const tight = 60_000;
    expect(fitted(conversation([40_000, 40_000, 40_000, 40_000], { wholeOnes: [0] }), tight).folded).not.toContain(
      'call-0',
    );
    const last = fitHistory(conversation([40_000, 40_000, 40_000], { goesOn: false }), FRAME, limits(30_000), HOW);
    expect(isFitted(last) && last.folded).toEqual(['call-0', 'call-1']);
  });

  it('folds these too, the longest first, where it could not be sent otherwise', () => {
    const { folded } = fitted(conversation([40_000, 4000, 40_000], { goesOn: false, wholeOnes: [1] }), 10_000);
    expect(folded).toEqual(['call-0', 'call-2']);
    expect(fitted(conversation([40_000, 40_000, 400], { goesOn: false, wholeOnes: [0] }), 10_000).folded).toEqual([
      'call-1',
      'call-0',
    ]);
  });

  it('sends nothing that does not fit, and says so', () => {
    const [person, ...rest] = conversation([400]).branch;
    if (person?.said.by !== 'person') throw new Error('the person spoke first');
    const long = {
      ...person,
      said: { ...person.said, parts: [{ kind: 'text', text: 'ab1 '.repeat(10_000) }] },
    } as const;
    const found = fitHistory({ ...conversation([400]), branch: [long, ...rest] }, FRAME, limits(10_000), HOW);
    expect(found).toMatchObject({ fault: 'too-long', message: expect.stringContaining('Nothing was sent.') as string });
    expect(fitHistory(conversation([]), FRAME, limits(100), HOW)).toMatchObject({ fault: 'too-long' });
  });
});

/** Counted with o200k_base and cl100k_base. */
const COUNTED: readonly (readonly [string, string, number, number])[] = [
  [
    'German',
    'Die Bundesregierung hat am Mittwoch einen Gesetzentwurf beschlossen, der die Straßenverkehrsordnung ändert und Fußgängern mehr Rechte einräumt. '.repeat(
      50,
    ),
    1501,
    2201,
  ],
  [
    'Russian',
    'Правительство приняло новый закон о защите персональных данных пользователей в интернете. '.repeat(50),
    801,
    1601,
  ],
  ['Greek', 'Η κυβέρνηση αποφάσισε να αλλάξει τον νόμο για την προστασία των δεδομένων. '.repeat(50), 1001, 3251],
  [
    'Chinese',
    '政府决定修改关于保护个人数据的法律，并将于明年开始实施。开发者需要了解这些变化。'.repeat(50),
    1200,
    2000,
  ],
  ['Japanese', '政府は個人データの保護に関する法律を改正することを決定しました。'.repeat(50), 1150, 1650],
  ['Hindi', 'सरकार ने व्यक्तिगत डेटा संरक्षण कानून में संशोधन करने का निर्णय लिया है। '.repeat(50), 752, 3601],
  ['Thai', 'รัฐบาลตัดสินใจแก้ไขกฎหมายว่าด้วยการคุ้มครองข้อมูลส่วนบุคคล '.repeat(50), 1299, 2700],
  ['emoji', '👩‍💻🎉🚀✅❌🔥'.repeat(100), 1300, 2000],
  ['a listing', 'drwxr-xr-x  2 root root   4096 Nov 19 13:30 src-main/journal/writing\n'.repeat(200), 5800, 5800],
  ['minified JSON', '{"a":[{"b":1},{"c":[]}],"d":{}}'.repeat(200), 3200, 3000],
  ['constants', 'ERROR_CODE_MEANINGS CONST_VALUE SQLITE_BUSY '.repeat(100), 901, 901],
];

it.each(COUNTED)('an estimate of %s is no less than what is counted, nearly', (_, text, one, other) => {
  const estimate = estimateTokens(text);
  expect(estimate).toBeGreaterThan(0.88 * Math.max(one, other));
  expect(estimate).toBeLessThan(2.5 * Math.max(one, other));
});
