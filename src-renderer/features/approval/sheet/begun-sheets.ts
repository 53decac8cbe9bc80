import type { ApprovalRequest } from '#contract/window/approvals.js';
import { openSheet, refreshSheet, type SheetState } from './sheet-state.js';

/** What the person has done so far to each sheet that waits: they may look at another one meanwhile. */
export type BegunSheets = ReadonlyMap<string, { readonly state: SheetState; readonly seen: ApprovalRequest }>;

/** The next sheet of the same asker is another one. */
export const nameOf = ({ batchId, drawing }: ApprovalRequest): string => `${batchId} ${drawing}`;

/** Those that wait no more are forgotten; the one that is shown is kept in step with main's version of it. */
export function followed(
  begun: BegunSheets,
  waiting: readonly ApprovalRequest[],
  shown: ApprovalRequest,
  ownEdit: string | null,
): BegunSheets {
  const names = new Set(waiting.map(nameOf));
  const own = begun.get(nameOf(shown));
  if (own?.seen === shown && [...begun.keys()].every((name) => names.has(name))) return begun;
  const state = own === undefined ? openSheet(shown) : refreshSheet(own.state, own.seen, shown, ownEdit);
  const left = [...begun].filter(([name]) => names.has(name));
  return new Map(left).set(nameOf(shown), { state, seen: shown });
}

/** What the person does to one of them. */
export function changed(begun: BegunSheets, name: string, change: (state: SheetState) => SheetState): BegunSheets {
  const own = begun.get(name);
  return own === undefined ? begun : new Map(begun).set(name, { ...own, state: change(own.state) });
}
