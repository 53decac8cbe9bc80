export interface ToolTelemetry {
  readonly tool: string;
  readonly count: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly denied: number;
  readonly rolledBack: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export interface TelemetrySnapshot {
  readonly from: number;
  readonly to: number;
  readonly total: number;
  readonly successRate: number | null;
  readonly denials: number;
  readonly rollbacks: number;
  readonly tools: readonly ToolTelemetry[];
  /** Calls in equal steps of time, oldest first. */
  readonly timeline: readonly {
    readonly at: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly denied: number;
  }[];
  readonly journalBytes: number;
  readonly events: number;
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
}

export type AuditVerdict =
  /** `signed`: the end of the chain was also held against the head that is signed with a key from the key store. */
  | {
      readonly ok: true;
      readonly events: number;
      readonly head: string;
      readonly signed?: boolean;
      /** Stretches that are said, in the chain, to carry no signature. */
      readonly unsigned?: readonly { readonly from: number; readonly to: number }[];
      readonly olderCopy?: OlderCopy;
    }
  /** `acceptable`: nothing in it contradicts itself, but it is not what was signed for, or known to the system's store. */
  | { readonly ok: false; readonly firstBad: number; readonly reason: string; readonly acceptable?: boolean };

/** Whether an older copy of the whole data folder, put back, would be found; and in plain words why not. */
export interface OlderCopy {
  readonly told: boolean;
  readonly words: string;
  /** When the system's own store first heard of this history, at which event that was, and the last it heard of. */
  readonly since?: number;
  readonly sinceEvent?: number;
  readonly upToEvent?: number;
}
