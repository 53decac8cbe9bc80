import { useCallback, useEffect, useReducer, useRef } from 'react';
import type { CallFilter, CallPage } from '#contract/vocabulary/calls.js';
import type { BridgeError } from '#contract/window/result.js';
import { ask } from '../../bridge/use-request.js';
import { type CallPages, NO_PAGES, PAGE_SIZE, findWantedPage, type WantedPage, addPage } from './call-pages.js';

interface CallPagesState {
  /** The key of the list: a filter, or a fresh look with the same one. */
  readonly list: string;
  readonly pages: CallPages;
  readonly error: BridgeError | null;
}

type CallPagesAction =
  | { readonly type: 'page'; readonly list: string; readonly wanted: WantedPage; readonly page: CallPage }
  | { readonly type: 'error'; readonly list: string; readonly error: BridgeError };

/** The first page of a new list replaces the old one: what is shown stays until there is something newer to show. */
function reduce(state: CallPagesState, action: CallPagesAction): CallPagesState {
  if (action.type === 'error') return { ...state, list: action.list, error: action.error };
  const known = action.list === state.list ? state.pages : NO_PAGES;
  return { list: action.list, pages: addPage(known, action.wanted, action.page), error: null };
}

export interface CallList {
  readonly pages: CallPages;
  readonly error: BridgeError | null;
  /** The rows shown belong to an earlier filter. */
  readonly stale: boolean;
  /** Tells which rows are in sight. */
  readonly show: (first: number, last: number) => void;
}

/** The calls that match, newest first, fetched as far as someone looks. `turn` asks for a fresh look. */
export function useCallPages(filter: CallFilter, turn: number): CallList {
  const key = `${turn}:${JSON.stringify(filter)}`;
  const [state, dispatch] = useReducer(reduce, { list: '', pages: NO_PAGES, error: null });
  const asking = useRef<string | null>(null);
  const range = useRef<readonly [number, number]>([0, 0]);
  const current = state.list === key;
  const pages = current ? state.pages : NO_PAGES;

  const next = useCallback(
    (known: CallPages) => {
      const wanted = findWantedPage(known, range.current[0], range.current[1]);
      if (wanted === null) return;
      const id = `${key} ${wanted.number}`;
      if (asking.current === id) return;
      asking.current = id;
      const wish = JSON.parse(key.slice(key.indexOf(':') + 1)) as CallFilter;
      const request = { ...wish, limit: PAGE_SIZE, ...(wanted.before === null ? {} : { before: wanted.before }) };
      void ask('calls.list', request).then((answer) => {
        // Someone typed on meanwhile: this is the answer to an old question.
        if (asking.current !== id) return;
        asking.current = null;
        if (answer.ok) dispatch({ type: 'page', list: key, wanted, page: answer.value });
        else dispatch({ type: 'error', list: key, error: answer.error });
      });
    },
    [key],
  );

  const failed = current && state.error !== null;
  useEffect(() => {
    if (!failed) next(pages);
  }, [next, pages, failed]);

  const show = useCallback(
    (first: number, last: number) => {
      range.current = [first, last];
      if (!failed) next(pages);
    },
    [next, pages, failed],
  );

  return { pages: state.pages, error: current ? state.error : null, stale: !current, show };
}
