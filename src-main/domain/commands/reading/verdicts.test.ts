import { describe, expect, it } from 'vitest';
import type { Reading } from './reading.js';
import { readingThatSays } from './reading.test-support.js';
import { againstUnasked, type ReadingSituation, riskOf } from './verdicts.js';

const HELD: ReadingSituation = { confinement: 'confined', copiesKept: true, withoutCopy: [] };

const AGAINST: readonly (readonly [Partial<Reading>, Partial<ReadingSituation>])[] = [
  [{ notWhole: 'a brace' }, {}],
  [{ found: [{ kind: 'privilege', start: 0, end: 1, words: 'runs with another user’s rights' }] }, {}],
  [{ hosts: ['x.example'] }, {}],
  [{ anyHost: true }, {}],
  [{ secrets: ['.env'] }, {}],
  [{ controlFiles: ['.git/hooks/x'] }, {}],
  [{ outside: ['../x'] }, {}],
  [{}, { confinement: 'network' }],
  [{}, { confinement: 'unconfined' }],
  [{}, { copiesKept: false }],
  [{}, { withoutCopy: ['dist'] }],
];

describe('what is known of a command', () => {
  it('lets run unasked what nothing is against', () => {
    expect(againstUnasked(readingThatSays({}), HELD)).toEqual([]);
    expect(riskOf(readingThatSays({}), HELD)).toBe('medium');
    expect(riskOf(readingThatSays({ onlyReads: true }), HELD)).toBe('low');
    const noticed = readingThatSays({ found: [{ kind: 'notice', start: 0, end: 1, words: 'x' }] });
    expect(againstUnasked(noticed, HELD)).toEqual([]);
  });
  it.each(AGAINST)('%j in %j asks, and is high', (said, situation) => {
    expect(againstUnasked(readingThatSays(said), { ...HELD, ...situation })).toHaveLength(1);
    expect(riskOf(readingThatSays(said), { ...HELD, ...situation })).toBe('high');
  });
  it('needs no copy of what it only reads', () => {
    expect(riskOf(readingThatSays({ onlyReads: true }), { ...HELD, copiesKept: false })).toBe('low');
  });
});
