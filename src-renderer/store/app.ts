import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { AppStatus, WindowPage, WorkspaceInfo } from '#contract/window/app-events.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { subscribeToEvents } from '../bridge/client.js';
import { startEventFeed } from '../bridge/event-feed.js';
import { ask } from '../bridge/use-request.js';
import * as store from './app-store.js';
import { callById } from './calls-index.js';
import { createLiveEvents } from './live-events.js';

/** The window's one store, fed by main. */
const appStore = store.createAppStore();
export const live = createLiveEvents();

let snapshots = 0;
const feed = startEventFeed({
  fetchSnapshot: () => ask('app.snapshot', {}),
  subscribe: subscribeToEvents,
  onSnapshot: (snapshot) => {
    store.receiveSnapshot(appStore, snapshot);
    if (++snapshots > 1) live.emitGap();
  },
  onEvents: (events) => {
    store.receiveEvents(appStore, events);
    events.forEach(live.emit);
  },
  onProblem: (error) => appStore.setState({ connection: { phase: 'failed', error } }),
});

export const reconnect = (): void => {
  appStore.setState({ connection: { phase: 'connecting' } });
  feed.resync();
};

export const useApp = <T>(select: (state: store.AppStore) => T): T => useStore(appStore, select);
/** Selects a new array or object, compared shallowly. */
export const useAppShallow = <T>(select: (state: store.AppStore) => T): T => useStore(appStore, useShallow(select));

/** Told a moment after calls came or moved on, and no more often. */
export function onCalls(waitMs: number, listener: () => void): () => void {
  let timer: number | null = null;
  const off = appStore.subscribe((state, before) => {
    if (state.app.calls === before.app.calls) return;
    timer ??= window.setTimeout(() => {
      timer = null;
      listener();
    }, waitMs);
  });
  return () => {
    off();
    if (timer !== null) clearTimeout(timer);
  };
}

export const useStatus = (): AppStatus => useApp((state) => state.app.status);
export const useWorkspace = (): WorkspaceInfo | null => useApp((state) => state.app.workspace);
/** A call that is live or settled lately; null for older ones, which `calls.get` knows. */
export const useCall = (callId: string): CallSummary | null => useApp((state) => callById(state.app.calls, callId));

export const goTo = (place: WindowPage, anchor: string | null = null): void => store.goTo(appStore, place, anchor);
/** Activity shows all folders, or that of the tab in front alone. */
export const showAllFolders = (all: boolean): void => store.showAllFolders(appStore, all);
/** Opens a call in the detail pane, from anywhere. */
export const openCall = (callId: string): void => store.openCall(appStore, callId);
export const closeCall = (): void => store.openCall(appStore, null);
export const pinDetail = (pinned: boolean): void => store.pinDetail(appStore, pinned);
/** Brings the sheet of these calls to the front, and the focus to it. */
export const showSheet = (batchId: string): void => store.showSheet(appStore, batchId);
