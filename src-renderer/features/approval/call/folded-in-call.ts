import { layOutArguments, listSheetFiles, hasArgumentRows } from '#contract/vocabulary/sheet-folding.js';
import type { ApprovalCall } from '#contract/window/approvals.js';
import { countFoldedInFiles } from '../../../calls/diff/folded-in-diff.js';

export const NOTHING_OPENED: ReadonlySet<string> = new Set();

/** How many characters of what would be approved are folded, as far as they were not opened. */
export const countFoldedInCall = (call: ApprovalCall, opened: ReadonlySet<string>): number =>
  hasArgumentRows(call.effect)
    ? layOutArguments(call.arguments, opened).hidden
    : countFoldedInFiles(listSheetFiles(call), opened);
