import { createStore } from 'zustand/vanilla';
import type { AppEventBody, AppSnapshot, WindowPage } from '#contract/window/app-events.js';
import { applyEvent } from '#contract/window/app-state.js';
import type { BridgeError } from '#contract/window/result.js';

type StoreConnection =
  | { readonly phase: 'connecting' }
  | { readonly phase: 'ready' }
  | { readonly phase: 'failed'; readonly error: BridgeError };

/** Main's truth, folded from its events; without the number, so that output streaming past changes nothing here. */
type AppView = Omit<AppSnapshot, 'seq'>;

export interface AppStore {
  readonly connection: StoreConnection;
  readonly app: AppView;
  /** The window's own state: where the person is and what they opened. */
  readonly place: WindowPage;
  /** Activity shows every folder; which one is in front stays as it is. */
  readonly allFolders: boolean;
  /** A part of the place to bring into sight: a settings group, a filter. */
  readonly anchor: string | null;
  readonly detailCallId: string | null;
  readonly detailPinned: boolean;
  /** The sheet that the person wants to see; with another turn, they want it again. */
  readonly sheetWanted: { readonly batchId: string; readonly turn: number } | null;
}

const NOTHING_YET: AppView = {
  status: {
    version: '',
    platform: '',
    chromiumSandboxOff: false,
    confinement: { mode: 'preferred', available: false, problem: null },
    mode: 'enabled',
    hasSettings: true,
    paused: [],
    given: [],
    trustedFolders: [],
    roots: {},
    journal: { state: 'ok', problem: null },
    gateway: { enabled: false, url: null, problem: null, clients: [] },
    theme: 'system',
  },
  workspace: null,
  workspaces: [],
  recentWorkspaces: [],
  notices: [],
  approvals: [],
  calls: [],
  recovery: null,
  working: [],
  question: null,
  folderQuestions: [],
};

export const createAppStore = () =>
  createStore<AppStore>(() => ({
    connection: { phase: 'connecting' },
    app: NOTHING_YET,
    place: 'activity',
    allFolders: false,
    anchor: null,
    detailCallId: null,
    detailPinned: false,
    sheetWanted: null,
  }));

export type AppStoreApi = ReturnType<typeof createAppStore>;

export function receiveSnapshot(store: AppStoreApi, snapshot: AppSnapshot): void {
  const { seq, ...app } = snapshot;
  void seq;
  store.setState({ connection: { phase: 'ready' }, app });
}

/** Applies events that came together as one change, drawn once. */
export function receiveEvents(store: AppStoreApi, events: readonly AppEventBody[]): void {
  const { app: before } = store.getState();
  let app = before;
  for (const event of events) {
    if (event.type === 'navigate') goTo(store, event.place);
    // The reducer wants a whole snapshot, and the number is the feed's concern.
    else if (changes(event)) app = applyEvent({ ...app, seq: 0 }, event);
  }
  if (app !== before) store.setState({ app });
}

const STREAMS_PAST: ReadonlySet<AppEventBody['type']> = new Set([
  'output',
  'waiting-for-input',
  'settings-changed',
  'sources-changed',
  'domain-changed',
  'taken-back',
  'conversation',
  'message',
  'message-piece',
  'given-back',
]);
const changes = (event: AppEventBody): boolean => !STREAMS_PAST.has(event.type);

export function goTo(store: AppStoreApi, place: WindowPage, anchor: string | null = null): void {
  const { place: from, detailPinned, detailCallId } = store.getState();
  store.setState({ place, anchor, detailCallId: place === from || detailPinned ? detailCallId : null });
}

export const showAllFolders = (store: AppStoreApi, allFolders: boolean): void => store.setState({ allFolders });
export const openCall = (store: AppStoreApi, callId: string | null): void => store.setState({ detailCallId: callId });
export const pinDetail = (store: AppStoreApi, detailPinned: boolean): void => store.setState({ detailPinned });
export const showSheet = (store: AppStoreApi, batchId: string): void =>
  store.setState(({ sheetWanted }) => ({ sheetWanted: { batchId, turn: (sheetWanted?.turn ?? 0) + 1 } }));
