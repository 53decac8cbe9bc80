export const PRIORITIES = ['high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The options that a program asks for with a call besides its arguments. None of them loosens anything. */
export interface CallOptions {
  /** The versions of the tool that are meant: one, or a range. */
  readonly versions: string;
  readonly priority: Priority;
  /** Whether it must be asked about, whatever else would let it run. */
  readonly mustAsk: boolean;
  /** Whether it outlives whoever asked, and a restart. */
  readonly detached: boolean;
  readonly limits: RequestedLimits;
}

/** Upper limits; one that is left out is what the call may have anyway. */
export interface RequestedLimits {
  readonly timeoutMs?: number;
  readonly memoryBytes?: number;
  readonly cpuMillicores?: number;
  readonly bandwidthMbps?: number;
}
