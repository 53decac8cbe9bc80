import type { CallDetail } from '#contract/vocabulary/calls.js';

/** A call as it leaves the machine: secrets and personal data are out, and counted. */
export type ExportedCall = CallDetail & {
  readonly redacted: number;
  readonly cpuMs: number | null;
  readonly peakMemoryBytes: number | null;
};
