import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useApp } from '../../store/app.js';
import { type CallPages, findRow, countRows } from './call-pages.js';
import { CallRow } from './call-row.js';

const ROW_HEIGHT = 32;

interface CallTableProps {
  readonly pages: CallPages;
  readonly busy: boolean;
  readonly turn: number;
  readonly onShow: (first: number, last: number) => void;
  readonly onScrolled: (atTop: boolean) => void;
}

/** Columns, each with its class: some have no room where the window is narrow. */
const COLUMNS = [
  ['State', 'mark'],
  ['Tool', 'tool'],
  ['What', 'summary'],
  ['Outcome', 'outcome'],
  ['Exit', 'exit'],
  ['+/−', 'lines'],
  ['Asked by', 'asker'],
  ['Decided by', 'decided'],
  ['Folder', 'folder'],
  ['When', 'when'],
  ['Took', 'took'],
] as const;

export function CallTable({ pages, busy, turn, onShow, onScrolled }: CallTableProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const openId = useApp((state) => state.detailCallId);
  const [active, setActive] = useState(0);
  const count = countRows(pages);
  // oxlint-disable-next-line react/incompatible-library -- Nothing memoized below is given what the virtualizer returns.
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 16,
  });
  const rows = virtual.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;

  useEffect(() => onShow(first, last), [first, last, onShow]);

  // Where the keys have led; the row may have to be drawn before it can take the focus.
  const wanted = useRef<number | null>(null);
  const focusWanted = useCallback(() => {
    const button = scroller.current?.querySelector<HTMLElement>(`button[data-row="${wanted.current ?? ''}"]`);
    if (button === null || button === undefined) return;
    wanted.current = null;
    button.focus({ preventScroll: true });
  }, []);
  useLayoutEffect(focusWanted);

  const onKeys = useCallback(
    (event: KeyboardEvent, index: number) => {
      const from = wanted.current ?? index;
      const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2);
      const to = {
        ArrowDown: from + 1,
        ArrowUp: from - 1,
        PageDown: from + page,
        PageUp: from - page,
        Home: 0,
        End: count - 1,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const target = Math.max(0, Math.min(count - 1, to));
      wanted.current = target;
      virtual.scrollToIndex(target);
      focusWanted();
    },
    [count, virtual, focusWanted],
  );

  // A fresh look begins at the top.
  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [turn]);

  return (
    <div
      ref={scroller}
      className="gh-history-scroller"
      aria-busy={busy}
      onScroll={(event) => onScrolled(event.currentTarget.scrollTop < ROW_HEIGHT)}
    >
      <table className="gh-history-table" aria-label="Calls" aria-rowcount={pages.next === null ? count + 1 : -1}>
        <thead>
          <tr className="gh-history-head" aria-rowindex={1}>
            {COLUMNS.map(([column, kind]) => (
              <th key={column} scope="col" className={`gh-history-${kind}`}>
                {column === 'State' ? <span className="sr-only">State</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index, start }) => {
            const row = findRow(pages, index);
            return (
              <CallRow
                key={row?.callId ?? index}
                row={row}
                index={index}
                top={start}
                active={index === active || (active > last && index === first)}
                open={row !== null && row.callId === openId}
                onKeys={onKeys}
                onFocus={setActive}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
