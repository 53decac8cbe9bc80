import { describe, expect, it } from 'vitest';
import { formatBatch, parseBatch } from './batch-text.js';

const messageOf = (text: string): string => {
  const parsed = parseBatch(text);
  return parsed.ok ? 'ok' : parsed.message;
};

describe('a pasted batch', () => {
  it('is read as it is written', () => {
    const calls = [
      { tool: 'read_file', arguments: { path: 'a.txt' } },
      { tool: 'list', arguments: {} },
    ];
    expect(parseBatch(formatBatch(calls))).toEqual({ ok: true, value: calls });
    expect(parseBatch('[{"tool":"list"}]')).toEqual({ ok: true, value: [{ tool: 'list', arguments: {} }] });
  });

  it('says what is wrong, and where', () => {
    expect(messageOf('')).toContain('Paste a list');
    expect(messageOf('[{"tool":"a","arguments":{}},]')).toBe('Line 1, column 30: A value is expected here.');
    expect(messageOf('[{"tool":"a"\n')).toBe('Line 2, column 1: The text ends too early.');
    expect(messageOf('{"tool":"a"}')).toBe('A batch is a list in [ and ].');
    expect(messageOf('[]')).toContain('empty');
    expect(messageOf('[1]')).toContain('Call 1 is not an object');
    expect(messageOf('[{"arguments":{}}]')).toBe('Call 1 has no "tool" with a name.');
    expect(messageOf('[{"tool":"a","arguments":[]}]')).toBe('Call 1 (a): "arguments" is not an object.');
    expect(messageOf('[{"tool":"a","args":{}}]')).toContain('"args"');
    expect(messageOf(JSON.stringify(Array.from({ length: 1001 }, () => ({ tool: 'a' }))))).toContain('1001');
  });
});
