export const PRIORITIES = ['high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What a program asks for with a call besides its arguments. None of it loosens anything. */
export interface Wanted {
  /** Which versions of the tool are meant: one, or a range. */
  readonly versions: string;
  readonly priority: Priority;
  /** It is asked about, whatever else would let it run. */
  readonly mustAsk: boolean;
  /** It outlives whoever asked, and a restart. */
  readonly detached: boolean;
  readonly limits: WantedLimits;
}

/** At most so much; left out: what it may have anyway. */
export interface WantedLimits {
  readonly timeoutMs?: number;
  readonly memoryBytes?: number;
  readonly cpuMillicores?: number;
  readonly bandwidthMbps?: number;
}
