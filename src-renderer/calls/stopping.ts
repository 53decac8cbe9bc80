import { useSyncExternalStore } from 'react';
import { describeCallStatus } from '#contract/vocabulary/call-labels.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { ask } from '../bridge/use-request.js';
import { createListenerSet } from '../store/listeners.js';

/** Calls whose end was asked for here and is on its way; each is forgotten with its end. */
const stopping = new Set<string>();
const changed = createListenerSet<[]>();

/** Stops a call. From here on it is said to be stopping, until it ends or can't be stopped. */
export function stopCall(callId: string): void {
  mark(callId, true);
  void ask('calls.stop', { callId }).then(({ ok }) => (ok ? undefined : mark(callId, false)));
}

export const useStopping = (callId: string): boolean => useSyncExternalStore(changed.add, () => stopping.has(callId));

export const STOPPING = 'Stopping…';

/** Words what the call is doing or how it ended, at once. */
export const useCallStatusText = (call: CallSummary): string => describeLiveCall(call, useStopping(call.callId));

export const describeLiveCall = (call: CallSummary, isStopping: boolean): string =>
  isStopping && call.display === 'executing' ? STOPPING : describeCallStatus(call);

function mark(callId: string, isStopping: boolean): void {
  if (isStopping) stopping.add(callId);
  else stopping.delete(callId);
  changed.tell();
}
