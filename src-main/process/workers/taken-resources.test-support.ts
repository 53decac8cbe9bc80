import { expect } from 'vitest';
import type { TakenResources } from './escapes.test-support.js';

/** Expects every resource to be held down, where a limit counts for a worker as a whole. */
export function expectHeld(taken: TakenResources, asWhole = true): void {
  expect(taken.memory).toBe('held down');
  if (asWhole) expect(taken.together).toBeLessThan(4);
  expect(taken.processes).toMatch(/^ended|^made \d{1,3}\n|^$|^Killed/u);
}
