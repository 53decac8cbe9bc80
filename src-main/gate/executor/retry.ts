import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { ToolDeclaration } from '../../domain/tool/tool.js';

const MAX_RETRIES = 3;
const BASE_MS = 200;
const CAP_MS = 5000;

/**
 * Seed 000 §7.3: only what may be done twice (idempotent), only where the machine was short of something or of time,
 * at most three times. Gives how long to wait, or null.
 */
export function retryDelay(
  declaration: ToolDeclaration,
  failure: Failure,
  attempt: number,
  random: () => number,
): number | null {
  // What runs elsewhere is sent again by whoever sends it, or by nobody.
  if (!declaration.idempotent || declaration.nature === 'remote' || attempt > MAX_RETRIES) return null;
  if (failure.code !== 'ResourceExhausted' && failure.code !== 'Timeout') return null;
  // Full jitter: anywhere between nothing and the exponential step, so that retries do not march together.
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
}
