/** FR-REG-04b, to the letter. */
export interface ContextEstimate {
  readonly contextLimitTokens: number;
  readonly usedTokens: number;
  readonly responseReserveTokens: number;
  readonly safetyMarginTokens: number;
}

/** Where nothing is known of the model's context. */
const FALLBACK_BYTES = 64 * 1024;
const BYTES_PER_TOKEN = 4;

export function availableCapacityBytes(estimate: ContextEstimate | null): number {
  if (estimate === null) return FALLBACK_BYTES;
  const tokens =
    estimate.contextLimitTokens - estimate.usedTokens - estimate.responseReserveTokens - estimate.safetyMarginTokens;
  return Math.max(0, tokens) * BYTES_PER_TOKEN;
}
