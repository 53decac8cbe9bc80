import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { RememberScope } from '#contract/vocabulary/decisions.js';
import type { RuleOffer } from '#contract/vocabulary/effects.js';

/** What the person has done to one sheet so far. It survives a refresh of the sheet where the calls are the same. */
export interface SheetState {
  readonly batchId: string;
  readonly digest: string;
  readonly focused: string | null;
  readonly selected: ReadonlySet<string>;
  /** The calls that may use the network, as far as they are approved. Never set but by the person, call by call. */
  readonly network: ReadonlySet<string>;
  /** Likewise, the calls that may write to `.git`. */
  readonly writesGit: ReadonlySet<string>;
  readonly reason: string;
  /** Reasons given to single calls. */
  readonly reasons: ReadonlyMap<string, string>;
  readonly remember: { readonly scope: 'once' | RememberScope; readonly prefix: string | null };
  /** Set when main's sheet is not the one that was decided on. */
  readonly note: string | null;
  /** Counts the changes that came from elsewhere: each is something new to look at. */
  readonly foreignChanges: number;
}

/** High risk is never decided by default. */
const selectedAtFirst = (request: ApprovalRequest): ReadonlySet<string> =>
  new Set(request.calls.filter(({ risk }) => risk !== 'high').map(({ callId }) => callId));

export function openSheet(request: ApprovalRequest): SheetState {
  return {
    batchId: request.batchId,
    digest: request.digest,
    focused: request.calls[0]?.callId ?? null,
    selected: selectedAtFirst(request),
    network: new Set(),
    writesGit: new Set(),
    reason: '',
    reasons: new Map(),
    remember: { scope: 'once', prefix: null },
    note: null,
    foreignChanges: 0,
  };
}

/**
 * A new version of the same sheet. What was decided stays where nothing changed. A call that joins is selected as one is
 * at first. A call whose arguments, risk or effect changed under the person is taken out of the selection, unless the
 * change is the person's own edit. The network is never allowed to a call that is not what it was when it was allowed.
 */
export function refreshSheet(
  state: SheetState,
  before: ApprovalRequest,
  after: ApprovalRequest,
  ownEdit: string | null,
): SheetState {
  if (state.batchId !== after.batchId) return openSheet(after);
  if (state.digest === after.digest) return state;
  const known = new Map(before.calls.map((call) => [call.callId, call]));
  const first = selectedAtFirst(after);
  let joined = 0;
  let changed = 0;
  const selected = new Set<string>();
  const network = new Set<string>();
  const writesGit = new Set<string>();
  for (const call of after.calls) {
    const old = known.get(call.callId);
    const same = old !== undefined && JSON.stringify(old) === JSON.stringify(call);
    const isNew = old === undefined || call.callId === ownEdit;
    if (same ? state.selected.has(call.callId) : isNew && first.has(call.callId)) selected.add(call.callId);
    if (same && state.network.has(call.callId)) network.add(call.callId);
    if (same && state.writesGit.has(call.callId)) writesGit.add(call.callId);
    if (old === undefined) joined += 1;
    else if (!same && call.callId !== ownEdit) changed += 1;
  }
  const ids = new Set(after.calls.map(({ callId }) => callId));
  return {
    ...state,
    digest: after.digest,
    focused: state.focused !== null && ids.has(state.focused) ? state.focused : (after.calls[0]?.callId ?? null),
    selected,
    network,
    writesGit,
    reasons: new Map([...state.reasons].filter(([callId]) => ids.has(callId))),
    note: noteOf(changed, joined) ?? state.note,
    foreignChanges: state.foreignChanges + (changed + joined > 0 ? 1 : 0),
  };
}

function noteOf(changed: number, joined: number): string | null {
  const more =
    joined === 0 ? [] : [joined === 1 ? 'One more call was asked for.' : `${joined} more calls were asked for.`];
  const other =
    changed === 0
      ? []
      : changed === 1
        ? ['One call changed while this was open. It is no longer selected; look at it again.']
        : [`${changed} calls changed while this was open. They are no longer selected; look at them again.`];
  return changed + joined === 0 ? null : [...other, ...more].join(' ');
}

export function toggle(state: SheetState, callId: string): SheetState {
  return { ...state, selected: flipped(state.selected, callId) };
}

/** Allows one call the network, or takes that back; whether the call is approved is another question. */
export function toggleNetwork(state: SheetState, callId: string): SheetState {
  return { ...state, network: flipped(state.network, callId) };
}

/** Lets one call write to `.git`, or takes that back. */
export function toggleGit(state: SheetState, callId: string): SheetState {
  return { ...state, writesGit: flipped(state.writesGit, callId) };
}

function flipped(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(ids);
  if (!after.delete(id)) after.add(id);
  return after;
}

export function move(
  state: SheetState,
  request: ApprovalRequest,
  to: 'next' | 'previous' | 'first' | 'last',
): SheetState {
  const ids = request.calls.map(({ callId }) => callId);
  const at = state.focused === null ? -1 : ids.indexOf(state.focused);
  const target = { next: at + 1, previous: at - 1, first: 0, last: ids.length - 1 }[to];
  return { ...state, focused: ids[Math.min(Math.max(0, target), ids.length - 1)] ?? null };
}

/** Commands can be remembered by their first words; everything else as a tool. */
export function commandOf(call: ApprovalRequest['calls'][number]): string | null {
  return call.effect.kind === 'command' ? call.effect.command : null;
}

/** What main says of a rule for this call; null where it is no command. */
export function ruleOf(call: ApprovalRequest['calls'][number]): RuleOffer | null {
  return call.effect.kind === 'command' ? (call.effect.rule ?? null) : null;
}
