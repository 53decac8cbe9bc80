import { ipcRenderer, type IpcRendererEvent } from 'electron';
import type { AppEvent } from '#contract/window/app-events.js';
import { type BridgeClient, CHANNEL_NAMES, type GatehouseApi } from '#contract/window/channels.js';
import { ANSWERED_CHANNEL, EVENT_CHANNEL, REQUEST_CHANNEL } from '#contract/window/wire.js';

/**
 * Requests cross as text: main can refuse one by its size before it looks inside, and nothing but JSON can come
 * through (no cycles, no Map, no typed arrays with a life of their own).
 */
const client = Object.fromEntries(
  CHANNEL_NAMES.map((name) => [
    name,
    // Whether a person has just pressed a key or clicked is asked here, in a world of our own: no script of the page can say it.
    (request: unknown, id?: number) =>
      ipcRenderer.invoke(REQUEST_CHANNEL, name, JSON.stringify(request) ?? '', navigator.userActivation.isActive, id),
  ]),
) as unknown as BridgeClient;

export const api: GatehouseApi = {
  client,
  onEvents: (listener) => {
    const forward = (_event: IpcRendererEvent, events: readonly AppEvent[]) => listener(events);
    ipcRenderer.on(EVENT_CHANNEL, forward);
    return () => {
      ipcRenderer.removeListener(EVENT_CHANNEL, forward);
    };
  },
  onAnswered: (listener) => {
    ipcRenderer.on(ANSWERED_CHANNEL, (_event, id: number) => listener(id));
  },
};
