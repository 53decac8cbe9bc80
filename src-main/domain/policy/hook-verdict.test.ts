import { describe, expect, it } from 'vitest';
import { type JudgedRun, strictestHookVerdict } from './hook-verdict.js';

type Word = 'allow' | 'ask' | 'deny';
const said = (decision: Word): JudgedRun => ({
  run: { name: decision, when: 'before', decision, reason: null, ms: 1 },
  onFailure: 'ignore',
});
const failed = (onFailure: 'deny' | 'ignore'): JudgedRun => ({
  run: { name: 'broken', when: 'before', failed: 'It ended.', ms: 1 },
  onFailure,
});
const kindOf = (...runs: readonly JudgedRun[]): string => strictestHookVerdict(runs).kind;

describe('of what hooks say the strictest word stands', () => {
  const STRICTNESS = { allow: 'nothing', ask: 'ask', deny: 'deny' } as const;
  const WORDS = ['allow', 'ask', 'deny'] as const;
  for (const [at, strict] of WORDS.entries())
    for (const mild of WORDS.slice(0, at + 1))
      it(`${strict} beside ${mild}, both ways round`, () => {
        expect(kindOf(said(strict), said(mild))).toBe(STRICTNESS[strict]);
        expect(kindOf(said(mild), said(strict))).toBe(STRICTNESS[strict]);
        expect(kindOf(said('allow'), said(mild), said(strict), said(mild))).toBe(STRICTNESS[strict]);
      });

  it('a hook that failed, and whose failure denies, beside one that asks or allows', () => {
    for (const word of ['ask', 'allow'] as const) {
      expect(kindOf(said(word), failed('deny'))).toBe('deny');
      expect(kindOf(failed('deny'), said(word))).toBe('deny');
      expect(kindOf(failed('ignore'), said(word))).toBe(STRICTNESS[word]);
    }
  });

  it('one that is another than was accepted asks, and takes back no denial', () => {
    const changed: JudgedRun = { ...said('deny'), changed: 'It was changed.' };
    expect(kindOf(changed)).toBe('ask');
    expect(kindOf(changed, said('deny'))).toBe('deny');
    expect(kindOf(said('deny'), changed)).toBe('deny');
    expect(kindOf({ ...said('allow'), changed: 'It was changed.' }, said('allow'))).toBe('ask');
  });

  it('among equals the first says its reason', () => {
    const [one, two] = ['one', 'two'].map((reason) => ({ ...said('deny'), run: { ...said('deny').run, reason } }));
    expect(JSON.stringify(strictestHookVerdict([one, two] as never))).toContain('one');
    expect(kindOf()).toBe('nothing');
  });
});
