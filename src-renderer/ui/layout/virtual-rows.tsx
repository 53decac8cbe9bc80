import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import { FOCUSABLE } from '../style/focusable.js';
import './virtual-rows.css';

export interface VirtualRowsProps<Row> {
  readonly rows: readonly Row[];
  readonly label: string;
  /** Gives it its height: it scrolls within. */
  readonly className: string;
  readonly heightOf: (row: Row) => number;
  readonly keyOf?: (row: Row) => string;
  readonly draw: (row: Row) => ReactNode;
  /** Whether it is announced as a list with its number of entries, also of those that are not drawn. */
  readonly asList?: boolean;
}

const OVERSCAN = 30;

/** Rows beyond counting, of which only those in sight are drawn. */
export function VirtualRows<Row>({
  rows,
  label,
  className,
  heightOf,
  keyOf,
  draw,
  asList = false,
}: VirtualRowsProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- nothing memoized below is given what the virtualizer returns
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightAt(rows[index], heightOf),
    overscan: OVERSCAN,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined || keyOf === undefined ? index : keyOf(row);
    },
  });
  return (
    <section ref={scroller} className={className} {...(asList ? {} : { 'aria-label': label })} {...FOCUSABLE}>
      <div
        className="gh-virtual"
        style={{ height: virtual.getTotalSize() }}
        {...(asList ? { role: 'list', 'aria-label': label } : {})}
      >
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return row === undefined ? null : (
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              {...(asList ? { role: 'listitem', 'aria-setsize': rows.length, 'aria-posinset': item.index + 1 } : {})}
              className="gh-virtual-row"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              {draw(row)}
            </div>
          );
        })}
      </div>
    </section>
  );
}

const heightAt = <Row,>(row: Row | undefined, heightOf: (row: Row) => number): number =>
  row === undefined ? 0 : heightOf(row);
