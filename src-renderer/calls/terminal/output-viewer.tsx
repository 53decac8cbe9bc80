import { ChevronDown, ChevronUp, Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { ask } from '../../bridge/use-request.js';
import { Button, IconButton } from '../../ui/form/button.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { counted, formatBytes, formatCount } from '../../ui/text/format.js';
import { Problem } from '../../ui/notice/problem.js';
import { REACHABLE } from '../../ui/style/reachable.js';
import { TextField } from '../../ui/form/text-field.js';
import { Visible } from '../../ui/text/visible.js';
import { CopyAll } from './copy-all.js';
import { chunksFor, clampTop, lastTop, scrollAt, scrollHeight, topAt, visibleRows } from './line-window.js';
import { OutputChunks } from './output-chunks.js';
import type { OutputStream } from './tail-buffer.js';
import './terminal.css';

const ROW = 18;
/** A longer line is cut on the screen; copying gives it whole. */
const CUT = 5000;
const COUNT_AGAIN_MS = 400;

export interface OutputViewerProps {
  readonly callId: string;
  readonly stream: OutputStream;
}

/** The stored output of a call, a screenful at a time. */
export function OutputViewer({ callId, stream }: OutputViewerProps) {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const chunks = useMemo(
    () => new OutputChunks((fromLine, lines) => ask('calls.output', { callId, stream, fromLine, lines }), redraw),
    [callId, stream],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const [viewHeight, setViewHeight] = useState(400);
  const [top, setTop] = useState(0);
  const [hit, setHit] = useState<number | null>(null);
  const { totalLines, totalBytes, counting, error } = chunks.state;
  const window = { totalLines, rowHeight: ROW, viewHeight };
  const rows = Math.min(visibleRows(window) + 1, Math.max(0, totalLines - top));

  useEffect(() => chunks.need(chunksFor(top, rows + 1, Math.max(totalLines, 1))), [chunks, top, rows, totalLines]);
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
    if (scroller.current !== null) scroller.current.scrollTop = scrollAt(window, next);
  };
  const onScroll = () => {
    const position = scroller.current?.scrollTop ?? 0;
    if (Math.abs(position - scrollAt(window, top)) >= 1) setTop(topAt(window, position));
  };
  useWheel(scroller, (lines) => goTo(top + lines));
  const onKeyDown = (event: KeyboardEvent) => {
    const page = visibleRows(window) - 1;
    const to = {
      ArrowDown: top + 1,
      ArrowUp: top - 1,
      PageDown: top + page,
      PageUp: top - page,
      Home: 0,
      End: lastTop(window),
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    goTo(to);
  };

  const shown = Array.from({ length: rows }, (_, index) => top + index);
  return (
    <div className="gh-viewer">
      <div className="gh-viewer-bar">
        <OutputSearch
          callId={callId}
          stream={stream}
          from={hit ?? top}
          onFound={(line) => {
            setHit(line);
            goTo(line - 3);
          }}
        />
        <span className="secondary" aria-live="polite">
          {counting
            ? `${formatBytes(totalBytes)}, counting lines…`
            : `${counted(totalLines, 'line')}, ${formatBytes(totalBytes)}`}
        </span>
        <CopyButton label="Copy what is shown" text={() => shown.map((line) => chunks.line(line) ?? '').join('\n')} />
        {counting ? null : <CopyAll callId={callId} stream={stream} lines={totalLines} bytes={totalBytes} />}
      </div>
      {error === null ? null : (
        <Problem title="The output can’t be read" error={error} onRetry={() => chunks.need([0], true)} />
      )}
      {/* What scrolls by keys of its own. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <section
        ref={scroller}
        className="gh-viewer-scroll"
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        aria-label={stream === 'stdout' ? 'Stored output' : 'Stored error output'}
        {...REACHABLE}
      >
        <div style={{ height: scrollHeight(window) }}>
          <div className="gh-viewer-pane" style={{ height: viewHeight }}>
            {shown.map((line) => (
              <Line key={line} number={line} text={chunks.line(line)} hit={line === hit} />
            ))}
            {!counting && totalLines === 0 ? (
              <p className="gh-viewer-line secondary">Nothing was written here.</p>
            ) : null}
          </div>
        </div>
      </section>
    </div>
  );
}

function Line(props: { readonly number: number; readonly text: string | undefined; readonly hit: boolean }) {
  const { number, text, hit } = props;
  return (
    <div className={hit ? 'gh-viewer-line gh-viewer-hit' : 'gh-viewer-line'}>
      <span className="gh-viewer-number">{formatCount(number + 1)}</span>
      <span className="gh-viewer-text">
        {text === undefined ? '…' : <Visible text={text.length > CUT ? text.slice(0, CUT) : text} />}
        {text !== undefined && text.length > CUT ? (
          <span className="secondary"> … {counted(text.length - CUT, 'more character')}</span>
        ) : null}
      </span>
    </div>
  );
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

interface OutputSearchProps extends OutputViewerProps {
  readonly from: number;
  readonly onFound: (line: number) => void;
}

function OutputSearch({ callId, stream, from, onFound }: OutputSearchProps) {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<readonly number[]>([]);
  const [said, setSaid] = useState('');
  const searched = useRef<string | null>(null);

  const search = async (direction: 1 | -1) => {
    if (query === '') return;
    let lines = found;
    if (searched.current !== query) {
      setSaid('Searching…');
      const answer = await ask('calls.searchOutput', { callId, stream, query, fromLine: 0 });
      if (!answer.ok) {
        setSaid(answer.error.message);
        return;
      }
      searched.current = query;
      lines = answer.value.lines;
      setFound(lines);
      if (lines.length === 0) {
        setSaid('Not found');
        return;
      }
      const first = lines.find((line) => line >= from) ?? lines[0] ?? 0;
      report(lines, first, answer.value.complete);
      return;
    }
    const next =
      direction === 1
        ? (lines.find((line) => line > from) ?? lines[0])
        : (lines.findLast((line) => line < from) ?? lines.at(-1));
    if (next !== undefined) report(lines, next, true);
  };
  const report = (lines: readonly number[], line: number, complete: boolean) => {
    setSaid(`${formatCount(lines.indexOf(line) + 1)} of ${formatCount(lines.length)}${complete ? '' : ' or more'}`);
    onFound(line);
  };

  return (
    <form
      className="gh-viewer-search"
      onSubmit={(event) => {
        event.preventDefault();
        void search(1);
      }}
    >
      <TextField
        type="search"
        label="Search the output"
        labelHidden
        placeholder="Search the output"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <Button size="small" type="submit" icon={<Search aria-hidden />}>
        Find
      </Button>
      <IconButton label="Previous match" onClick={() => void search(-1)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label="Next match" onClick={() => void search(1)}>
        <ChevronDown aria-hidden />
      </IconButton>
      <output className="secondary">{said}</output>
    </form>
  );
}
