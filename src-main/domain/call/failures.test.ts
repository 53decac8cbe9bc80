import { describe, expect, it } from 'vitest';
import { formatFailure, panicFailure } from './failures.js';

describe('failureContent (FR-ERR-JSON-TOOL-01/02)', () => {
  it('passes a JSON object verbatim', () => {
    const message = ' {"error": "no such table",\n "code": 7} ';
    expect(formatFailure({ code: 'ExecutionFailed', message }, 'query')).toEqual({ text: message, verbatim: true });
  });
  it.each(['plain', '[1]', '"text"', '42', '{broken', 'null'])('prefixes %s with the tool', (message) => {
    expect(formatFailure({ code: 'ExecutionFailed', message }, 'query')).toEqual({
      text: `query failed: ${message}`,
      verbatim: false,
    });
  });
  it('leaves other codes alone', () => {
    expect(formatFailure({ code: 'BadArgs', message: '{"a":1}' }, 'query')).toEqual({
      text: '{"a":1}',
      verbatim: false,
    });
  });
});

describe('panicked', () => {
  it('lets nothing of what was thrown out', () => {
    class Hostile extends Error {
      override get name(): string {
        throw new Error('gotcha');
      }
    }
    const renamed = Object.assign(new Error('secret'), { name: 'rm -rf /' });
    for (const thrown of [
      new Error('secret'),
      'secret',
      { secret: true },
      null,
      undefined,
      renamed,
      new Hostile('secret'),
    ]) {
      const failure = panicFailure(thrown);
      expect(failure.code).toBe('Internal');
      expect(failure.message).not.toMatch(/secret|rm -rf|gotcha/);
    }
    expect(panicFailure(new TypeError('x')).message).toBe('Tool panicked: TypeError');
  });
});
