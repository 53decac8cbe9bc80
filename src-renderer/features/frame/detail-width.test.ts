import { expect, it } from 'vitest';
import { clampWidth } from './detail-width.js';

it.each([
  [420, 1400, 420],
  [100, 1400, 320],
  [1300, 1400, 920],
  [900, 700, 320],
])('%d px wanted in a window of %d px gives %d px', (wanted, windowWidth, width) => {
  expect(clampWidth(wanted, windowWidth)).toBe(width);
});
