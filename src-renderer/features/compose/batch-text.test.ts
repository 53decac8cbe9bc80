import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchText, parseArguments, parseBatch } from './batch-text.js';
import { findJsonError, positionOf } from './json-error.js';

const messageOf = (text: string): string => {
  const parsed = parseBatch(text);
  return parsed.ok ? 'ok' : parsed.message;
};

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
    expect(positionOf(text, wrong?.at ?? 0)).toEqual({ line: 3, column: 3 });
  });

  it('gives up on nesting without end', () => {
    expect(findJsonError('['.repeat(100_000))?.message).toBe('It is nested too deeply');
  });
});

describe('a pasted batch', () => {
  it('is read as it is written', () => {
    const calls = [
      { tool: 'read_file', arguments: { path: 'a.txt' } },
      { tool: 'list', arguments: {} },
    ];
    expect(parseBatch(batchText(calls))).toEqual({ ok: true, value: calls });
    expect(parseBatch('[{"tool":"list"}]')).toEqual({ ok: true, value: [{ tool: 'list', arguments: {} }] });
  });

  it('says what is wrong, and where', () => {
    expect(messageOf('')).toContain('Paste a list');
    expect(messageOf('[{"tool":"a","arguments":{}},]')).toBe('Line 1, column 30: A value is expected here.');
    expect(messageOf('[{"tool":"a"\n')).toBe('Line 2, column 1: The text ends too early.');
    expect(messageOf('{"tool":"a"}')).toBe('A batch is a list: it stands in [ and ].');
    expect(messageOf('[]')).toContain('empty');
    expect(messageOf('[1]')).toContain('Call 1 is not an object');
    expect(messageOf('[{"arguments":{}}]')).toBe('Call 1 has no "tool" with a name.');
    expect(messageOf('[{"tool":"a","arguments":[]}]')).toBe('Call 1 (a): "arguments" is not an object.');
    expect(messageOf('[{"tool":"a","args":{}}]')).toContain('"args"');
    expect(messageOf(JSON.stringify(Array.from({ length: 1001 }, () => ({ tool: 'a' }))))).toContain('1001');
  });
});

it('takes only objects as arguments', () => {
  expect(parseArguments('{"a":[1]}')).toEqual({ ok: true, value: { a: [1] } });
  expect(parseArguments('[1]')).toMatchObject({ ok: false });
  expect(parseArguments('{a:1}')).toMatchObject({ ok: false, message: expect.stringContaining('column 2') });
});
