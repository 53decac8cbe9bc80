import { describe, expect, it } from 'vitest';
import { schemaWithText, withText } from './structured-text.js';

describe('structured content', () => {
  it('holds the text too, and its schema says so', () => {
    expect(withText({ bytes: 2 }, 'hi')).toEqual({ bytes: 2, text: 'hi' });
    const schema = { type: 'object', properties: { bytes: { type: 'integer' } }, additionalProperties: false };
    expect(schemaWithText(schema)).toMatchObject({
      properties: { bytes: { type: 'integer' }, text: { type: 'string' } },
      additionalProperties: false,
    });
  });

  it('leaves a text of the tool’s own alone', () => {
    expect(withText({ text: 7 }, 'hi')).toEqual({ text: 7 });
    const schema = { type: 'object', properties: { text: { type: 'integer' } } };
    expect(schemaWithText(schema)).toBe(schema);
  });

  it('promises nothing where the schema is not of an object', () => {
    expect(schemaWithText({ type: 'array' })).toBeNull();
    expect(schemaWithText(null)).toBeNull();
  });
});
