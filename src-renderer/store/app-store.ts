import { createStore } from 'zustand/vanilla';
import type { AppEventBody, AppSnapshot, Place } from '#contract/window/app-events.js';
import { applyEvent } from '#contract/window/app-state.js';
import type { BridgeError } from '#contract/vocabulary/result.js';

type Connection =
  | { readonly phase: 'connecting' }
  | { readonly phase: 'ready' }
  | { readonly phase: 'failed'; readonly error: BridgeError };

/** Main's truth, folded from its events; without the number, so that output streaming past changes nothing here. */
type AppView = Omit<AppSnapshot, 'seq'>;

export interface AppStore {
  readonly connection: Connection;
  readonly app: AppView;
  /** What only the window knows: where the person is and what they opened. */
  readonly place: Place;
  /** A part of the place to bring into sight: a settings group, a filter. */
  readonly anchor: string | null;
  readonly detailCallId: string | null;
  readonly detailPinned: boolean;
}

const NOTHING_YET: AppView = {
  status: {
    version: '',
    platform: '',
    chromiumSandboxOff: false,
    confinement: { mode: 'preferred', available: false, problem: null },
    mode: 'enabled',
    roots: [],
    journal: { state: 'ok', problem: null },
    gateway: { enabled: false, url: null, problem: null, clients: [] },
    theme: 'system',
  },
  workspace: null,
  recentWorkspaces: [],
  notices: [],
  approvals: [],
  calls: [],
  recovery: null,
  question: null,
};

export const createAppStore = () =>
  createStore<AppStore>(() => ({
    connection: { phase: 'connecting' },
    app: NOTHING_YET,
    place: 'conversation',
    anchor: null,
    detailCallId: null,
    detailPinned: false,
  }));

export type AppStoreApi = ReturnType<typeof createAppStore>;

export function receiveSnapshot(store: AppStoreApi, snapshot: AppSnapshot): void {
  const { seq, ...app } = snapshot;
  void seq;
  store.setState({ connection: { phase: 'ready' }, app });
}

export function receiveEvent(store: AppStoreApi, event: AppEventBody): void {
  if (event.type === 'navigate') {
    goTo(store, event.place);
    return;
  }
  const { app } = store.getState();
  // The reducer wants a whole snapshot, and the number is the feed's concern.
  const next = applyEvent({ ...app, seq: 0 }, event);
  if (changes(event)) store.setState({ app: next });
}

const changes = (event: AppEventBody): boolean =>
  event.type !== 'output' && event.type !== 'waiting-for-input' && event.type !== 'settings-changed';

export function goTo(store: AppStoreApi, place: Place, anchor: string | null = null): void {
  const { place: from, detailPinned, detailCallId } = store.getState();
  store.setState({ place, anchor, detailCallId: place === from || detailPinned ? detailCallId : null });
}

export const openCall = (store: AppStoreApi, callId: string | null): void => store.setState({ detailCallId: callId });
export const pinDetail = (store: AppStoreApi, detailPinned: boolean): void => store.setState({ detailPinned });
