import type { ApprovalCall } from '#contract/window/approvals.js';

/** What was typed while a call is edited. */
export interface EditDraft {
  readonly callId: string;
  /** Its arguments, as text. */
  readonly text: string;
  /** Files as the call shall leave them, by path; of those that were touched. */
  readonly contents: ReadonlyMap<string, string>;
}

export const draftOf = ({ callId, arguments: given }: ApprovalCall): EditDraft => ({
  callId,
  text: JSON.stringify(given, null, 2),
  contents: new Map(),
});
