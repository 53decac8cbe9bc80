import { describe, expect, it } from 'vitest';
import { counted, formatAgo, formatBytes, formatDuration, formatWhen } from './format.js';

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 KB'],
    [1_234_567, '1.2 MB'],
    [999_999, '1.0 MB'],
    [99_960_000, '100 MB'],
    [5e12, '5.0 TB'],
    [5e15, '5000 TB'],
  ])('%d → %s', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [1001, '1.0 s'],
    [59_949, '59.9 s'],
    [59_990, '1 min 0 s'],
    [192_000, '3 min 12 s'],
    [7_260_000, '2 h 1 min'],
  ])('%d ms → %s', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });
});

it('says how long ago it was within a day, and before that when', () => {
  const now = new Date(2026, 10, 18, 12).getTime();
  const ago = [-5, 59, 60, 3599, 3600, 86_399].map((seconds) => formatAgo(now - seconds * 1000, now));
  expect(ago).toEqual(['just now', 'just now', '1 min ago', '59 min ago', '1 h ago', '23 h ago']);
  expect(formatAgo(now - 86_400_000, now)).toBe(formatWhen(now - 86_400_000, now));
});

it('names the day only when it is not today', () => {
  const now = new Date(2026, 10, 18, 12).getTime();
  expect(formatWhen(now - 1000, now)).not.toMatch(/Nov/);
  expect(formatWhen(now - 48 * 3_600_000, now)).toMatch(/16/);
});

it('counts in words', () => {
  expect(counted(1, 'call')).toBe('1 call');
  expect(counted(0, 'call')).toBe('0 calls');
  expect(counted(2, 'entry', 'entries')).toBe('2 entries');
});
