import type { ApprovalCall } from '#contract/window/approvals.js';

/** The typed text while a call is edited. */
export interface EditDraft {
  readonly callId: string;
  /** The arguments, as text. */
  readonly text: string;
  /** Files as the call shall leave them, by path; of those that were touched. */
  readonly contents: ReadonlyMap<string, string>;
}

export const createDraft = ({ callId, arguments: given }: ApprovalCall): EditDraft => ({
  callId,
  text: JSON.stringify(given, null, 2),
  contents: new Map(),
});
