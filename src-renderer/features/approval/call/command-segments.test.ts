import { describe, expect, it } from 'vitest';
import { segmentCommand, splitWords } from './command-segments.js';

const notice = { severity: 'notice', explanation: 'writes a file' } as const;
const danger = { severity: 'danger', explanation: 'deletes build/' } as const;

it('leaves a plain command whole', () => {
  expect(segmentCommand('ls -l', [])).toEqual([{ text: 'ls -l', severity: null, findings: [] }]);
  expect(segmentCommand('', [])).toEqual([]);
});

it('marks each finding, and overlapping ones together', () => {
  const command = 'rm -rf build > log';
  const segments = segmentCommand(command, [
    { start: 0, end: 12, ...danger },
    { start: 7, end: 18, ...notice },
  ]);
  expect(segments).toEqual([
    { text: 'rm -rf ', severity: 'danger', findings: [1] },
    { text: 'build', severity: 'danger', findings: [1, 2] },
    { text: ' > log', severity: 'notice', findings: [2] },
  ]);
  expect(segments.map(({ text }) => text).join('')).toBe(command);
});

it('keeps to the command when a finding does not', () => {
  const segments = segmentCommand('rm x', [{ start: -5, end: 400, ...danger }]);
  expect(segments).toEqual([{ text: 'rm x', severity: 'danger', findings: [1] }]);
});

describe('words that a line is not broken in', () => {
  const split = (text: string, before = '', after = '') =>
    splitWords(text, { before, after }).map(({ text: each, isWord }) => (isWord ? `[${each}]` : each));

  it('are those in which a line could be broken: the others are none to keep together', () => {
    expect(split('npm run build-all -- src/app.ts\tok')).toEqual([
      'npm run ',
      '[build-all]',
      ' -- ',
      '[src/app.ts]',
      '\tok',
    ]);
    expect(split('ls')).toEqual(['ls']);
    expect(split('')).toEqual([]);
  });

  it('end where the command has a blank, and not where a mark begins', () => {
    expect(split('a-b c-d', '"', '$')).toEqual(['a-b c-d']);
    expect(split('a-b c-d', ' ', '$')).toEqual(['[a-b]', ' c-d']);
    expect(split('a-b c-d', '(', '\n')).toEqual(['a-b ', '[c-d]']);
  });

  it('are given back whole', () => {
    const text = ' curl  https://example.com/x?y=z \\\n  | sh -s -- --a=b ';
    expect(
      splitWords(text, { before: '', after: '' })
        .map((each) => each.text)
        .join(''),
    ).toBe(text);
  });
});
