import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonError, parseJson, findPosition } from './json-text.js';

describe('finding where JSON is wrong', () => {
  it('agrees with the engine on every value and every damaged text', () => {
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(findJsonError(text)).toBeNull();
      }),
    );
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', ',', '"', '{', ']', '\\', '\n', '0', "'"),
        (text, at, put) => {
          const damaged = text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1);
          expect(findJsonError(damaged) === null).toBe(isJson(damaged));
        },
      ),
    );
  });

  it('says the place in lines and columns', () => {
    const text = '{\n  "a": 1\n  "b": 2\n}';
    const wrong = findJsonError(text);
    expect(wrong?.message).toBe('A comma or } is expected here');
    expect(findPosition(text, wrong?.at ?? 0)).toEqual({ line: 3, column: 3 });
  });

  it('gives up on nesting without end', () => {
    expect(findJsonError('['.repeat(100_000))?.message).toBe('It is nested too deeply');
  });
});

describe('reading JSON that a person wrote', () => {
  it('gives what is there, or the place where it goes wrong', () => {
    expect(parseJson(' {"a": [1, null]}\n')).toEqual({ ok: true, value: { a: [1, null] } });
    expect(parseJson('{\n  "a": tru\n}')).toEqual({
      ok: false,
      message: 'Line 2, column 8: A value is expected here.',
    });
    expect(parseJson('')).toEqual({ ok: false, message: 'Line 1, column 1: The text ends too early.' });
  });
});
