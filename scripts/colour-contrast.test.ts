import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(join(import.meta.dirname, '../src-renderer/styles/tokens.css'), 'utf8');

type Rgb = readonly [number, number, number];

/** `--name: light-dark(#light, #dark)` for every opaque colour. */
const tokens = new Map(
  [...css.matchAll(/(--[\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)/gu)].map(
    ([, name, light, dark]) => [name ?? '', { light: rgb(light ?? ''), dark: rgb(dark ?? '') }] as const,
  ),
);

function rgb(hex: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

/** WCAG 2: relative luminance and contrast. */
function luminance(color: Rgb): number {
  const [r, g, b] = color.map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(front: string, back: string, theme: 'light' | 'dark'): number {
  const [a, b] = [front, back].map((name) => {
    const token = tokens.get(name);
    if (token === undefined) throw new Error(`no colour ${name}`);
    return luminance(token[theme]);
  }) as [number, number];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

const SURFACES = ['frame', 'page', 'raised', 'hover', 'selected', 'code'].map((name) => `--surface-${name}`);
const on = (fronts: readonly string[], backs: readonly string[]) =>
  fronts.flatMap((front) => backs.map((back) => [front, back] as const));

const AA = [
  ...on(['--text-strong', '--text', '--text-secondary', '--text-faint'], SURFACES),
  ...on(['--accent', '--danger', '--risk-medium'], ['--surface-frame', '--surface-page', '--surface-raised']),
  ...on(
    [
      '--state-pending',
      '--state-executing',
      '--state-completed',
      '--state-failed',
      '--state-denied',
      '--state-cancelled',
    ],
    ['--surface-frame', '--surface-page', '--surface-raised', '--surface-hover', '--surface-selected'],
  ),
  ['--risk-medium', '--surface-selected'],
  ...(['low', 'medium', 'high'] as const).map((risk) => [`--risk-${risk}`, `--risk-${risk}-surface`] as const),
  ...on(['--text', '--text-strong', '--text-secondary'], ['--risk-medium-surface', '--risk-high-surface']),
  ...on(
    Array.from({ length: 16 }, (_, at) => `--ansi-${at}`),
    ['--surface-code'],
  ),
  ...on(
    ['--text-code'],
    Array.from({ length: 8 }, (_, at) => `--ansi-paper-${at}`),
  ),
  ['--on-accent', '--accent'],
  ['--on-accent', '--accent-hover'],
  ['--on-danger', '--danger-fill'],
  ['--on-danger', '--danger-fill-hover'],
] as const;

/** Commands, diffs and what colours their syntax. */
const AAA = [
  ...on(
    ['--text-code', '--text-strong'],
    ['--surface-code', '--surface-page', '--diff-added-surface', '--diff-removed-surface'],
  ),
  ['--diff-added', '--diff-added-surface'],
  ['--diff-added', '--diff-added-mark'],
  ['--diff-removed', '--diff-removed-surface'],
  ['--diff-removed', '--diff-removed-mark'],
  ...on(
    ['--syntax-keyword', '--syntax-string', '--syntax-number', '--syntax-comment', '--syntax-name'],
    ['--surface-code', '--surface-page'],
  ),
] as const;

/** What outlines or draws something, without being read. */
const DRAWN = [
  ...on(['--line-strong', '--focus'], ['--surface-page', '--surface-raised', '--surface-frame']),
  ['--accent', '--risk-medium-surface'],
  ['--focus', '--risk-medium-surface'],
  ...on(['--chart-completed', '--chart-failed', '--chart-denied'], ['--surface-page']),
] as const;

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  it.each(AA)('%s on %s is AA', (front, back) => {
    expect(contrast(front, back, theme)).toBeGreaterThanOrEqual(4.5);
  });
  it.each(AAA)('%s on %s is AAA', (front, back) => {
    expect(contrast(front, back, theme)).toBeGreaterThanOrEqual(7);
  });
  it.each(DRAWN)('%s on %s can be told apart', (front, back) => {
    expect(contrast(front, back, theme)).toBeGreaterThanOrEqual(3);
  });
});
