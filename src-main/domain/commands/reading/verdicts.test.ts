import { describe, expect, it } from 'vitest';
import type { Reading } from './reading.js';
import { readingThatSays } from './reading.test-support.js';
import { findUnattendedObstacles, type ReadingSituation, rateRisk } from './verdicts.js';

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
    expect(findUnattendedObstacles(readingThatSays({}), HELD)).toEqual([]);
    expect(rateRisk(readingThatSays({}), HELD)).toBe('medium');
    expect(rateRisk(readingThatSays({ onlyReads: true }), HELD)).toBe('low');
    const noticed = readingThatSays({ found: [{ kind: 'notice', start: 0, end: 1, words: 'x' }] });
    expect(findUnattendedObstacles(noticed, HELD)).toEqual([]);
  });
  it.each(AGAINST)('%j in %j asks, and is high', (said, situation) => {
    expect(findUnattendedObstacles(readingThatSays(said), { ...HELD, ...situation })).toHaveLength(1);
    expect(rateRisk(readingThatSays(said), { ...HELD, ...situation })).toBe('high');
  });
  it('needs no copy of what it only reads', () => {
    expect(rateRisk(readingThatSays({ onlyReads: true }), { ...HELD, copiesKept: false })).toBe('low');
  });
});
