import type { Clock } from '../domain/ports.js';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
