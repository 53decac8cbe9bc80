/** Electron channel names: one for requests, one for the word that one was answered, one for the event stream. */
export const REQUEST_CHANNEL = 'gatehouse:request';
export const ANSWERED_CHANNEL = 'gatehouse:answered';
export const EVENT_CHANNEL = 'gatehouse:event';
