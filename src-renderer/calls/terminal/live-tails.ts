import { useSyncExternalStore } from 'react';
import { live } from '../../store/app.js';
import { createListeners } from '../../store/listeners.js';
import { type OutputStream, TailBuffer, type TailPiece } from './tail-buffer.js';

/** So many calls keep their tail; what falls out is still in the stored output. */
const CALLS_KEPT = 64;

const tails = new Map<string, TailBuffer>();
const appeared = createListeners<[]>();

/**
 * The last lines of each call that said something, kept while the person is elsewhere, so that a terminal that opens in
 * the middle of a run has its past. No React here: output costs no rendering.
 */
live.on('output', ({ callId, stream, text }) => {
  let tail = tails.get(callId);
  if (tail === undefined) {
    tail = new TailBuffer();
    tails.set(callId, tail);
    const oldest = tails.keys().next();
    if (tails.size > CALLS_KEPT && oldest.done !== true) tails.delete(oldest.value);
    appeared.tell();
  }
  tail.push(stream, text);
});

/** Whether anything was heard from this call; renders again only when that changes. */
export const useHasTail = (callId: string): boolean => useSyncExternalStore(appeared.add, () => tails.has(callId));

export const tailOf = (callId: string): readonly TailPiece[] => tails.get(callId)?.pieces() ?? [];

/** Everything this call says from now on. */
export const onOutput = (callId: string, listener: (stream: OutputStream, text: string) => void): (() => void) =>
  live.onOutput(callId, ({ stream, text }) => listener(stream, text));
