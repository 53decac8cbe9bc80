import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import type { RiskLevel } from '#contract/vocabulary/calls.js';
import type { EditDraft } from '../call/edit-draft.js';
import { type AllowedNetwork, isNothingAllowed } from '#contract/vocabulary/network.js';

/** The person's progress on one sheet. It survives a refresh of the sheet where the calls are the same. */
export interface SheetState {
  readonly digest: string;
  readonly focused: string | null;
  readonly selected: ReadonlySet<string>;
  /** Network access granted to calls, as far as they are approved. Never set but by the person, call by call. */
  readonly network: ReadonlyMap<string, AllowedNetwork>;
  /** Likewise, the calls that may write to `.git`. */
  readonly writesGit: ReadonlySet<string>;
  /** Likewise, the calls that are given secrets. */
  readonly reveals: ReadonlySet<string>;
  /** Likewise, what was hidden from calls and they may read. */
  readonly reads: ReadonlyMap<string, readonly string[]>;
  /** Folded parts that the person opened, by call. */
  readonly opened: ReadonlyMap<string, ReadonlySet<string>>;
  readonly reason: string;
  /** Reasons given to single calls. */
  readonly reasons: ReadonlyMap<string, string>;
  /** The call that is being edited, and what was typed so far. */
  readonly edit: EditDraft | null;
  /** The rule that is being made of the one call on it. */
  readonly rule: RuleWanted | null;
  /** Set when main's sheet is not the one that was decided on. */
  readonly note: string | null;
}

/** High risk is never decided by default. */
const selectInitially = (request: ApprovalRequest): ReadonlySet<string> =>
  new Set(request.calls.filter(({ risk }) => risk !== 'high').map(({ callId }) => callId));

export function openSheet(request: ApprovalRequest): SheetState {
  return {
    digest: request.digest,
    focused: request.calls[0]?.callId ?? null,
    selected: selectInitially(request),
    network: new Map(),
    writesGit: new Set(),
    reveals: new Set(),
    reads: new Map(),
    opened: new Map(),
    reason: '',
    reasons: new Map(),
    edit: null,
    rule: null,
    note: null,
  };
}

/**
 * A new version of the same sheet. What was decided stays where nothing changed. A call that joins is not selected: it
 * was not there when the others were. A call whose arguments, risk or effect changed under the person is taken out of the selection, unless the
 * change is the person's own edit. The network is never allowed to a call that is not what it was when it was allowed.
 */
export function refreshSheet(
  state: SheetState,
  before: ApprovalRequest,
  after: ApprovalRequest,
  ownEdit: string | null,
): SheetState {
  if (state.digest === after.digest) return state;
  const known = new Map(before.calls.map((call) => [call.callId, call]));
  const first = selectInitially(after);
  let changed = 0;
  const selected = new Set<string>();
  const network = new Map<string, AllowedNetwork>();
  const writesGit = new Set<string>();
  const reveals = new Set<string>();
  const reads = new Map<string, readonly string[]>();
  const opened = new Map<string, ReadonlySet<string>>();
  for (const call of after.calls) {
    const old = known.get(call.callId);
    const same = old !== undefined && JSON.stringify(old) === JSON.stringify(call);
    const isOwn = call.callId === ownEdit && first.has(call.callId);
    if (same ? state.selected.has(call.callId) : isOwn) selected.add(call.callId);
    const allowed = state.network.get(call.callId);
    if (same && allowed !== undefined) network.set(call.callId, allowed);
    if (same && state.writesGit.has(call.callId)) writesGit.add(call.callId);
    if (same && state.reveals.has(call.callId)) reveals.add(call.callId);
    const read = state.reads.get(call.callId);
    if (same && read !== undefined) reads.set(call.callId, read);
    const keys = state.opened.get(call.callId);
    if (same && keys !== undefined) opened.set(call.callId, keys);
    if (old !== undefined && !same && call.callId !== ownEdit) changed += 1;
  }
  const ids = new Set(after.calls.map(({ callId }) => callId));
  return {
    ...state,
    digest: after.digest,
    focused: state.focused !== null && ids.has(state.focused) ? state.focused : (after.calls[0]?.callId ?? null),
    selected,
    network,
    writesGit,
    reveals,
    reads,
    opened,
    reasons: new Map([...state.reasons].filter(([callId]) => ids.has(callId))),
    edit: state.edit !== null && ids.has(state.edit.callId) ? state.edit : null,
    note: buildNote(changed) ?? state.note,
  };
}

function buildNote(changed: number): string | null {
  if (changed === 0) return null;
  return changed === 1
    ? '1 call changed while this was open. It is no longer selected. Look at it again.'
    : `${changed} calls changed while this was open. They are no longer selected. Look at them again.`;
}

export function toggle(state: SheetState, callId: string): SheetState {
  return { ...state, selected: toggleMember(state.selected, callId) };
}

/** The risk of a call now: with network access granted it is High, whatever it is without. */
export const currentRisk = (
  { network }: SheetState,
  { callId, risk }: Pick<ApprovalCall, 'callId' | 'risk'>,
): RiskLevel => (network.has(callId) ? 'high' : risk);

/**
 * Allows one call this of the network and no more; whether the call is approved is another question. One that becomes of
 * High risk by it is selected only by hand.
 */
export function allowNetwork(state: SheetState, call: ApprovalCall, allowed: AllowedNetwork): SheetState {
  const { callId } = call;
  const network = new Map(state.network);
  if (isNothingAllowed(allowed)) network.delete(callId);
  else network.set(callId, allowed);
  const after = { ...state, network };
  if (currentRisk(state, call) === 'high' || currentRisk(after, call) !== 'high') return after;
  return { ...after, selected: new Set([...state.selected].filter((each) => each !== callId)) };
}

/** Opens folded parts of one call: they are drawn from then on. */
export function openFolded(state: SheetState, callId: string, keys: readonly string[]): SheetState {
  const now = new Set([...(state.opened.get(callId) ?? []), ...keys]);
  return { ...state, opened: new Map(state.opened).set(callId, now) };
}

/** Lets one call write to `.git`, or takes that back. */
export function toggleGit(state: SheetState, callId: string): SheetState {
  return { ...state, writesGit: toggleMember(state.writesGit, callId) };
}

/** Reveals secrets to one call, or takes that back. */
export function toggleReveal(state: SheetState, callId: string): SheetState {
  return { ...state, reveals: toggleMember(state.reveals, callId) };
}

/** Lets one call read a place that was hidden from it, or takes that back. */
export function toggleRead(state: SheetState, callId: string, path: string): SheetState {
  const before = state.reads.get(callId) ?? [];
  const after = before.includes(path) ? before.filter((each) => each !== path) : [...before, path];
  const reads = new Map(state.reads);
  if (after.length === 0) reads.delete(callId);
  else reads.set(callId, after);
  return { ...state, reads };
}

function toggleMember(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(ids);
  if (!after.delete(id)) after.add(id);
  return after;
}

export function moveFocus(
  state: SheetState,
  request: ApprovalRequest,
  to: 'next' | 'previous' | 'first' | 'last',
): SheetState {
  const ids = request.calls.map(({ callId }) => callId);
  const at = state.focused === null ? -1 : ids.indexOf(state.focused);
  const target = { next: at + 1, previous: at - 1, first: 0, last: ids.length - 1 }[to];
  return { ...state, focused: ids[Math.min(Math.max(0, target), ids.length - 1)] ?? null };
}
