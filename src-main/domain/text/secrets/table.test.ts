import { describe, expect, it } from 'vitest';
import { REDACTED, redactText } from '../redact.js';
import { HARMLESS } from './harmless-samples.test-support.js';
import { SECRETS } from './samples.test-support.js';

describe('the table', () => {
  it('has at least 90 secrets and 60 harmless texts', () => {
    expect(SECRETS.length).toBeGreaterThanOrEqual(90);
    expect(HARMLESS.length).toBeGreaterThanOrEqual(60);
  });

  it.each(SECRETS)('%s is blotted out', (_, text, ...secrets) => {
    const { value, count } = redactText(`before\n${text}\nafter`);
    for (const secret of secrets) {
      expect(text).toContain(secret);
      expect(value).not.toContain(secret);
    }
    expect(count).toBeGreaterThanOrEqual(1);
    expect(value.startsWith('before\n')).toBe(true);
    expect(value.endsWith('\nafter')).toBe(true);
    expect(value).toContain(REDACTED);
  });

  it.each(SECRETS)('%s: what was blotted out once is not counted again', (_, text) => {
    const once = redactText(text);
    expect(redactText(once.value)).toEqual({ value: once.value, count: 0 });
  });

  it('a name in quotes below another is no value', () => {
    const text = 'secrets:\n  "db": x\n  \'other\': y\n';
    expect(redactText(text)).toEqual({ value: text, count: 0 });
  });

  it.each(HARMLESS)('%j stays', (text) => {
    expect(redactText(`before\n${text}\nafter`)).toEqual({ value: `before\n${text}\nafter`, count: 0 });
  });
});
