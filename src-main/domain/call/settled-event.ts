import type { SettledEvent, SettledFacts } from './journal-events.js';

/**
 * Makes a call's end, as a fact. A dependency rule lets the gate's settle make it and nobody else: a call ends in one
 * place.
 */
export const settledEvent = (facts: SettledFacts): SettledEvent => ({ type: 'call-settled', ...facts }) as SettledEvent;
