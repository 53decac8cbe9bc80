import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitize } from '../../../domain/text/sanitize.js';
import type { ListedEntry } from './definition.js';
import { ListingText, plainJson } from './listing-text.js';

const entry = (path: string): ListedEntry => ({
  name: path,
  path,
  depth: 1,
  type: 'file',
  size_bytes: 1,
  modified_epoch_ms: 2,
  is_hidden: false,
  error: null,
});

describe('ListingText', () => {
  it('always parses, always fits, drops whole entries, and has nothing left to clean', () => {
    const strings = fc.string({ unit: 'binary', maxLength: 12 });
    fc.assert(
      fc.property(
        strings,
        fc.array(strings, { maxLength: 12 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 2500 }),
        (path, names, max, limit) => {
          const text = new ListingText(path, max, limit);
          if (!text.possible) return;
          for (const name of names) {
            text.add(entry(name));
            if (text.full) break;
          }
          const { content, result } = text.finish();
          expect(Buffer.byteLength(content)).toBeLessThanOrEqual(limit);
          expect(content).toBe(plainJson(result));
          expect(JSON.parse(content)).toEqual(result);
          expect(sanitize(content)).toEqual({ text: content, removed: 0 });
          expect(result.returned).toBe(result.entries.length);
          expect(result.entries.map((one) => one.path)).toEqual(names.slice(0, result.returned));
          expect(result.truncated).toBe(result.returned < names.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});
