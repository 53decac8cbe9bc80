import { describe, expect, it } from 'vitest';
import { availableCapacityBytes } from './capacity.js';

describe('availableCapacityBytes (FR-REG-04b)', () => {
  it('is what is left, four bytes a token', () => {
    expect(
      availableCapacityBytes({
        contextLimitTokens: 1000,
        usedTokens: 300,
        responseReserveTokens: 100,
        safetyMarginTokens: 50,
      }),
    ).toBe(2200);
  });
  it('is never negative', () => {
    expect(
      availableCapacityBytes({
        contextLimitTokens: 100,
        usedTokens: 300,
        responseReserveTokens: 0,
        safetyMarginTokens: 0,
      }),
    ).toBe(0);
  });
  it('falls back to 64 KB', () => {
    expect(availableCapacityBytes(null)).toBe(65_536);
  });
});
