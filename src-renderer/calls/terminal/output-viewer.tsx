import { type KeyboardEvent, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { ask } from '../../bridge/use-request.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { counted, formatBytes, formatCount } from '../../ui/text/format.js';
import { Problem } from '../../ui/notice/problem.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import type { OutputRow } from '#contract/vocabulary/screen/terminal-rows.js';
import { CopyAll } from './copy-all.js';
import { TerminalRow } from './terminal-row.js';
import { type OutputMatch, FindInOutput, type Hits } from './find-in-output.js';
import {
  listChunks,
  clampTop,
  findLastTop,
  computeScroll,
  computeScrollHeight,
  findTop,
  countVisibleRows,
} from './line-window.js';
import { OutputChunks } from './output-chunks.js';
import { joinRowText } from './row-parts.js';
import './terminal.css';

const ROW = 18;
/** A longer line is cut on the screen; copying gives it whole. */
const CUT = 5000;
const COUNT_AGAIN_MS = 400;

export interface OutputViewerProps {
  readonly callId: string;
  readonly name: string;
}

/** The stored output of a call, a screenful at a time. */
export function OutputViewer({ callId, name }: OutputViewerProps) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const chunks = useMemo(
    () => new OutputChunks((fromLine, lines) => ask('calls.output', { callId, fromLine, lines }), redraw),
    [callId],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const [viewHeight, setViewHeight] = useState(400);
  const [top, setTop] = useState(0);
  const [hits, setHits] = useState<Hits>(NO_HITS);
  const byLine = useMemo(() => groupMatchesByLine(hits.places), [hits]);
  const { totalLines, totalBytes, counting, error } = chunks.state;
  const window = { totalLines, rowHeight: ROW, viewHeight };
  const rows = Math.min(countVisibleRows(window) + 1, Math.max(0, totalLines - top));

  useEffect(() => chunks.need(listChunks(top, rows + 1, Math.max(totalLines, 1))), [chunks, top, rows, totalLines]);
  useEffect(() => {
    if (!counting || error !== null) return undefined;
    const timer = setInterval(() => chunks.need([0], true), COUNT_AGAIN_MS);
    return () => clearInterval(timer);
  }, [chunks, counting, error]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setViewHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  /** Moves by exact lines; the scroll bar follows, and the event that this causes changes nothing. */
  const goTo = (line: number) => {
    const next = clampTop(window, line);
    setTop(next);
    if (scroller.current !== null) scroller.current.scrollTop = computeScroll(window, next);
  };
  const onScroll = () => {
    const position = scroller.current?.scrollTop ?? 0;
    if (Math.abs(position - computeScroll(window, top)) >= 1) setTop(findTop(window, position));
  };
  useWheel(scroller, (lines) => goTo(top + lines));
  const onKeyDown = (event: KeyboardEvent) => {
    const page = countVisibleRows(window) - 1;
    const to = {
      ArrowDown: top + 1,
      ArrowUp: top - 1,
      PageDown: top + page,
      PageUp: top - page,
      Home: 0,
      End: findLastTop(window),
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    goTo(to);
  };

  const shown = Array.from({ length: rows }, (_, index) => top + index);
  return (
    <section className="gh-viewer" aria-label={name}>
      <div className="gh-viewer-bar">
        <FindInOutput
          callId={callId}
          from={hits.current?.line ?? top}
          onHits={(found) => {
            setHits(found);
            if (found.current !== null) goTo(found.current.line - 3);
          }}
        />
        <span className="secondary" aria-live="polite">
          {counting
            ? `${formatBytes(totalBytes)}, counting lines…`
            : `${counted(totalLines, 'line')}, ${formatBytes(totalBytes)}`}
        </span>
        <CopyButton label="Copy visible" text={() => shown.map((line) => readRowText(chunks.line(line))).join('\n')} />
        {counting ? null : <CopyAll callId={callId} lines={totalLines} bytes={totalBytes} />}
      </div>
      {error === null ? null : (
        <Problem title="The output can’t be loaded" error={error} onRetry={() => chunks.need([0], true)} />
      )}
      {/* What scrolls by keys of its own. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <section
        ref={scroller}
        className="gh-viewer-scroll"
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        aria-label="Lines"
        {...FOCUSABLE}
      >
        <div style={{ height: computeScrollHeight(window) }}>
          <div className="gh-viewer-pane" style={{ height: viewHeight }}>
            {shown.map((line) => (
              <Line
                key={line}
                number={line}
                row={chunks.line(line)}
                hit={line === hits.current?.line}
                found={byLine.get(line) ?? NOWHERE}
                length={hits.length}
              />
            ))}
            {!counting && totalLines === 0 ? <p className="gh-viewer-line secondary">No output here.</p> : null}
          </div>
        </div>
      </section>
    </section>
  );
}

interface LineProps {
  readonly number: number;
  readonly row: OutputRow | undefined;
  readonly hit: boolean;
  readonly found: readonly number[];
  readonly length: number;
}

function Line({ number, row, hit, found, length }: LineProps) {
  const cut = readRowText(row).length - CUT;
  return (
    <div className={hit ? 'gh-viewer-line gh-viewer-hit' : 'gh-viewer-line'}>
      <span className="gh-viewer-number">{formatCount(number + 1)}</span>
      <span className="gh-viewer-text">
        {row === undefined ? '…' : <TerminalRow row={row} longest={CUT} found={{ at: found, length }} />}
        {cut > 0 ? <span className="secondary"> … {counted(cut, 'more character')}</span> : null}
      </span>
    </div>
  );
}

const readRowText = (row: OutputRow | undefined): string => (row === undefined ? '' : joinRowText(row));

const NOWHERE: readonly number[] = [];
const NO_HITS: Hits = { places: [], current: null, length: 0 };

function groupMatchesByLine(places: readonly OutputMatch[]): ReadonlyMap<number, readonly number[]> {
  const lines = new Map<number, number[]>();
  for (const { line, at } of places) {
    const known = lines.get(line);
    if (known === undefined) lines.set(line, [at]);
    else known.push(at);
  }
  return lines;
}

/** React listens to the wheel passively, so it could not keep the browser from scrolling too. */
function useWheel(target: React.RefObject<HTMLElement | null>, onLines: (lines: number) => void) {
  const handler = useRef(onLines);
  useEffect(() => {
    handler.current = onLines;
  });
  useEffect(() => {
    const element = target.current;
    if (element === null) return undefined;
    let rest = 0;
    const onWheel = (event: WheelEvent) => {
      if (event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      event.preventDefault();
      rest += (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * ROW : event.deltaY) / ROW;
      const lines = Math.trunc(rest);
      rest -= lines;
      if (lines !== 0) handler.current(lines);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [target]);
}
