import { describe, expect, it } from 'vitest';
import { findLastLine } from './last-line.js';
import { Tail } from './tail.js';

const said = (...texts: readonly string[]) => {
  const tail = new Tail();
  for (const text of texts) tail.push('stdout', text);
  return findLastLine(tail.rows());
};

describe('the last line of an output', () => {
  it('is the last that says something', () => {
    expect(said('one\n', 'two\n\n  \n')).toBe('two');
    expect(said('one\ntw', 'o')).toBe('two');
    expect(said()).toBe('');
  });

  it('has no colours, and of a line drawn over only what stands', () => {
    expect(said('\u001b[32mdone\u001b[0m now\n')).toBe('done now');
    expect(said(' 10 %\r 20 %\r 30 %')).toBe('30 %');
  });

  it('is no longer than a line can be shown', () => {
    expect(said('x'.repeat(5000))).toHaveLength(300);
  });
});
