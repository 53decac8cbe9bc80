import { ArrowUp, History } from 'lucide-react';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { goTo, useApp } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { counted } from '../../ui/text/format.js';
import { Page } from '../../ui/layout/page.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { countRows } from './call-pages.js';
import { CallTable } from './call-table.js';
import { ExportMenu } from './export-menu.js';
import { FilterBar } from './filter-bar.js';
import { isBegunLetter, type Filters, parseFilters, isFiltered, NO_FILTERS, toCallFilter } from './filters.js';
import { useCallPages } from './use-call-pages.js';
import './history.css';

export function HistoryPage({ verifyAudit }: { readonly verifyAudit: ReactNode }) {
  const anchor = useApp((state) => state.anchor);
  const [filters, setFilters] = useState<Filters>(() => parseFilters(anchor));
  const [chosenAt, setChosenAt] = useState(() => Date.now());
  const [turn, setTurn] = useState(0);
  const [atTop, setAtTop] = useState(true);
  const settled = useDeferredValue(filters);
  const filter = toCallFilter(settled, chosenAt);
  const { pages, error, stale, show } = useCallPages(filter, turn);
  const newer = useNewer(pages.newestAt, pages.next === undefined);
  const refresh = () => setTurn((n) => n + 1);

  // The list follows new calls at its top; further down it stays where one reads.
  useEffect(() => {
    if (newer === 0 || !atTop || stale) return undefined;
    const timer = setTimeout(() => setTurn((n) => n + 1), 250);
    return () => clearTimeout(timer);
  }, [newer, atTop, stale]);

  const change = (next: Filters) => {
    if (next.since !== filters.since) setChosenAt(Date.now());
    setFilters(next);
  };
  const begun = isBegunLetter(filters.query);
  const count = countRows(pages);
  return (
    <Page
      title="History"
      fill
      actions={
        <>
          {verifyAudit}
          <ExportMenu filter={filter} />
        </>
      }
    >
      <FilterBar filters={filters} onChange={change} />
      <div className="gh-history-count secondary" aria-live="polite">
        {pages.next === undefined ? '' : formatCallCount(count, pages.next === null)}
        {begun === null ? null : ` · Type on to search for “${begun}…”`}
        {newer > 0 && !atTop ? (
          <Button size="small" tone="quiet" icon={<ArrowUp aria-hidden />} onClick={refresh}>
            {counted(newer, 'newer call')}
          </Button>
        ) : null}
      </div>
      {error === null ? null : <Problem title="The history can’t be loaded" error={error} onRetry={refresh} />}
      {pages.next === undefined ? (
        error === null ? (
          <Skeleton label="Loading the history" lines={9} />
        ) : null
      ) : count === 0 ? (
        <NoCalls filtered={isFiltered(filters)} onClear={() => change(NO_FILTERS)} />
      ) : (
        <CallTable turn={turn} pages={pages} busy={stale || settled !== filters} onShow={show} onScrolled={setAtTop} />
      )}
    </Page>
  );
}

const formatCallCount = (count: number, whole: boolean): string =>
  whole ? counted(count, 'call') : `${counted(count, 'call')}; scroll for more`;

/** How many calls began since the list was read, as far as the window heard. */
function useNewer(newest: number | null, unread: boolean): number {
  return useApp(({ app }) =>
    unread ? 0 : app.calls.reduce((n, call) => n + (call.startedAt > (newest ?? 0) ? 1 : 0), 0),
  );
}

function NoCalls({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  if (filtered) {
    return (
      <EmptyState
        title="No matching calls"
        actions={<Button onClick={onClear}>Show all calls</Button>}
        icon={<History aria-hidden />}
      >
        Try fewer words or clear the filters. Search covers tools, arguments, results, files and reasons.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No calls yet"
      icon={<History aria-hidden />}
      actions={<Button onClick={() => goTo('compose')}>Compose a call</Button>}
    >
      Every requested call is kept here: what it was, who requested it, who decided, what it did, and how to undo it.
    </EmptyState>
  );
}
