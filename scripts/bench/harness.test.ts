import { expect, test } from 'vitest';
import { compare, figures, quantile, timed } from './harness.js';

test('Quantiles interpolate, and the median of an even count lies between', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
  expect(quantile([5], 0.95)).toBe(5);
  expect(quantile([0, 10], 0.95)).toBeCloseTo(9.5);
  expect(quantile([], 0.5)).toBeNaN();
});

test('Subject and peer are sampled in turn, first one then the other first, warm-up left out', async () => {
  const order: string[] = [];
  const result = await compare({
    name: 'order',
    unit: 'ms',
    warmUp: 1,
    samples: 4,
    subject: { name: 'ours', sample: () => order.push('s') && 6 },
    peer: { name: 'theirs', sample: () => order.push('p') && 4 },
    goal: { atMost: 1.4 },
  });
  expect(order.join('')).toBe('psspsppssp'.slice(0, 2) + 'sppsspps');
  expect(result.subject.samples).toHaveLength(4);
  expect(result.ratio).toBe(1.5);
  expect(result.goal).toEqual({ text: '≤ 1.4×', met: false });
});

test('A goal may ask for more instead of less', async () => {
  const result = await compare({
    name: 'faster',
    unit: 'per s',
    warmUp: 0,
    samples: 1,
    subject: { name: 'ours', sample: () => 20 },
    peer: { name: 'theirs', sample: () => 10 },
    goal: { atLeast: 2 },
  });
  expect(result.goal).toEqual({ text: '≥ 2×', met: true });
});

test('Figures keep the raw samples, and timed gives a time', async () => {
  expect(figures('x', [1, 2])).toMatchObject({ name: 'x', samples: [1, 2] });
  expect(await timed(() => Promise.resolve())).toBeGreaterThanOrEqual(0);
});
