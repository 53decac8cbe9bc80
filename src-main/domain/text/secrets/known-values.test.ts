import { describe, expect, it } from 'vitest';
import { redactText } from '../redact.js';
import { STRUCTURE_ONLY } from './find.js';
import { knownValues } from './known-values.js';

const VALUE = 'my pass/word+"quoted"\\back=ü';
const means = { known: knownValues([VALUE]), detector: STRUCTURE_ONLY.detector };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a value that is known', () => {
  it.each([
    ['as it is', VALUE],
    ['URL-encoded', encodeURIComponent(VALUE)],
    ['URL-encoded in small letters', encodeURIComponent(VALUE).replaceAll(/%../gu, (each) => each.toLowerCase())],
    ['as a form has it', new URLSearchParams({ a: VALUE }).toString().slice(2)],
    ['as JSON has it', JSON.stringify(VALUE).slice(1, -1)],
    ['as JSON has it, slashes escaped', JSON.stringify(VALUE).slice(1, -1).replaceAll('/', '\\/')],
    ['as JSON has it, in ASCII', JSON.stringify(VALUE).slice(1, -1).replaceAll('ü', '\\u00fc')],
    ['as JSON in JSON has it', JSON.stringify(JSON.stringify(VALUE)).slice(2, -2)],
    ['base64', base64(VALUE)],
    ['base64 with one before', base64(`x${VALUE}`)],
    ['base64 with two before', base64(`xy${VALUE} and more`)],
    ['base64 for addresses', Buffer.from(VALUE).toString('base64url')],
  ])('is blotted out %s, once', (_, text) => {
    const { value, count } = redactText(`before ${text} after`, { means });
    expect(count).toBe(1);
    expect(value.length).toBeLessThan(45);
    expect(value).toMatch(/^before .{0,3}\[redacted\].{0,16} after$/u);
  });

  it('with lines counts one, however its lines end', () => {
    const lines = Array.from({ length: 8 }, (_, at) => `${String.fromCharCode(65 + at)}kz8Qw1`.repeat(8));
    const key = ['-----BEGIN PRIVATE', ` KEY-----\n${lines.join('\n')}\n-----END PRIVATE`, ' KEY-----\n'].join('');
    const kept = { known: knownValues([key]), detector: STRUCTURE_ONLY.detector };
    for (const text of [key, key.replaceAll('\n', '\r\n'), JSON.stringify(key)]) {
      const { value, count } = redactText(`before\n${text}\nafter`, { means: kept });
      expect(count).toBe(1);
      expect(value).not.toContain('kz8Qw1');
    }
  });
});
