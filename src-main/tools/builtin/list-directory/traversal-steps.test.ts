import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawDirectoryEntry } from '../../../workspace/handles/raw-directory-entry.js';
import { compareSteps, FirstSteps, createStep } from './traversal-steps.js';

const entry = (name: string) => new RawDirectoryEntry(Buffer.from(name).toString('latin1'), null);
const names = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), { maxLength: 60 });

describe('FirstSteps', () => {
  it('gives all in order, in passes of any size, each once', () => {
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 9 }), (all, room) => {
        const steps = all.flatMap((name) => [createStep(entry(name), false), createStep(entry(name), true)]);
        const found = [];
        for (let after = null; ;) {
          const pass = new FirstSteps(room, after);
          for (const step of steps) pass.offer(step.entry, step.enter);
          const sorted = pass.sorted();
          expect(sorted.length).toBeLessThanOrEqual(room);
          found.push(...sorted);
          after = sorted.at(-1) ?? null;
          if (!pass.overflowed) break;
        }
        expect(found).toEqual(steps.toSorted(compareSteps));
      }),
    );
  });

  it('sorts by the bytes of UTF-8, not by the units of UTF-16', () => {
    expect(compareSteps(createStep(entry('\uffff'), false), createStep(entry('\u{10000}'), false))).toBeLessThan(0);
    expect(compareSteps(createStep(entry('a'), true), createStep(entry('a-b'), false))).toBeGreaterThan(0);
    expect(compareSteps(createStep(entry('a'), true), createStep(entry('a0'), false))).toBeLessThan(0);
  });
});
