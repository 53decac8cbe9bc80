/** Electron channel names: one for requests, one for the event stream. */
export const REQUEST_CHANNEL = 'gatehouse:request';
export const EVENT_CHANNEL = 'gatehouse:event';
