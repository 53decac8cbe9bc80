import { useSyncExternalStore } from 'react';
import { live } from '../../../store/app.js';
import { createListenerSet } from '../../../store/listeners.js';
import { Tail } from './tail.js';

/** So many calls keep their tail; what falls out is still in the stored output. */
const CALLS_KEPT = 64;

const tails = new Map<string, Tail>();
const appeared = createListenerSet<[]>();

/**
 * The last lines of each call that said something, kept while the person is elsewhere, so that a terminal that opens in
 * the middle of a run has its past. No React here: output costs no rendering.
 */
live.on('output', ({ callId, pieces }) => {
  let tail = tails.get(callId);
  if (tail === undefined) {
    tail = new Tail();
    tails.set(callId, tail);
    const oldest = tails.keys().next();
    if (tails.size > CALLS_KEPT && oldest.done !== true) tails.delete(oldest.value);
    appeared.tell();
  }
  for (const { stream, text } of pieces) tail.push(stream, text);
});

/** Whether anything was heard from this call; renders again only when that changes. */
export const useHasTail = (callId: string): boolean => useSyncExternalStore(appeared.add, () => tails.has(callId));

export const getTail = (callId: string): Tail | undefined => tails.get(callId);

/** Told each time that this call says something, when its tail has it. */
export const onOutput = (callId: string, listener: () => void): (() => void) => live.onOutput(callId, listener);
