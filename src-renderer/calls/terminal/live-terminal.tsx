import { type ITheme, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { useEffect, useRef } from 'react';
import { resolveColor } from '../../ui/style/resolve-color.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { onOutput, getTail } from './live/live-tails.js';
import { TAIL_LINES } from './live/tail.js';
import { encodeRow } from './terminal-text.js';
import { withStyleNonce } from './with-style-nonce.js';
import './terminal.css';

/** A wrapped line takes several rows; the terminal grows so that the last lines are all there, up to this. */
const MAX_ROWS = 400;
/** The last lines, and the empty one at which the cursor waits. */
const FIRST_ROWS = TAIL_LINES + 1;
/** Ten times a second is enough for lines that nobody can read. */
const FLOOD_INTERVAL_MS = 100;
/** The distance from its end, in pixels, within which the person is following. */
const AT_END = 24;

/**
 * The last lines of a running command, drawn once a frame and outside React. The terminal holds all its rows and the
 * box around it scrolls, so that it follows its end exactly until the person scrolls up, and again when they return.
 */
export function LiveTerminal({ callId }: { readonly callId: string }) {
  const box = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const scroller = box.current;
    const element = host.current;
    if (scroller === null || element === null) return undefined;
    return startTerminal(callId, scroller, element);
  }, [callId]);

  return (
    <div ref={box} className="gh-terminal" {...FOCUSABLE}>
      <div ref={host} />
    </div>
  );
}

function startTerminal(callId: string, scroller: HTMLElement, element: HTMLElement): () => void {
  const terminal = new Terminal({
    rows: FIRST_ROWS,
    cols: 80,
    scrollback: MAX_ROWS,
    disableStdin: true,
    cursorInactiveStyle: 'none',
    cursorStyle: 'bar',
    cursorWidth: 1,
    fontFamily: getComputedStyle(scroller).fontFamily,
    fontSize: 12,
    lineHeight: 1.2,
    theme: buildTheme(),
  });
  withStyleNonce(() => terminal.open(element));
  // The terminal shows and never asks: the keyboard belongs to the box around it.
  terminal.textarea?.setAttribute('tabindex', '-1');
  terminal.textarea?.setAttribute('aria-hidden', 'true');
  terminal.attachCustomKeyEventHandler(() => false);

  let following = true;
  let frame: number | null = null;
  /** How many finished rows are drawn, and the row that goes on as it was drawn last. */
  let drawn = 0;
  let goesOn = '';
  /** Whether a write is still to be drawn: until then nobody knows how many rows it takes. */
  let writing = false;

  const rowHeight = () => element.firstElementChild?.getBoundingClientRect().height ?? 0;
  const settle = () => {
    const buffer = terminal.buffer.active;
    const rows = countRowsOfLastLines(terminal);
    if (rows > terminal.rows) terminal.resize(terminal.cols, Math.min(rows, MAX_ROWS));
    const used = Math.max(1, Math.min(terminal.rows, buffer.cursorY + (buffer.cursorX === 0 ? 0 : 1)));
    const height = (rowHeight() / terminal.rows) * used;
    element.style.height = `${height}px`;
    if (following) scroller.scrollTop = scroller.scrollHeight;
  };
  let notBefore = 0;
  const draw = (now: number) => {
    frame = null;
    const tail = getTail(callId);
    if (tail === undefined || writing) return;
    if (now < notBefore) {
      schedule();
      return;
    }
    const rows = tail.since(drawn);
    const current = encodeRow(tail.current());
    if (rows.length === 0 && current === goesOn) return;
    // When more rushes past than can be read, drawing less often leaves the window to the person.
    notBefore = tail.finished - drawn > rows.length ? now + FLOOD_INTERVAL_MS : 0;
    const more = rows.length === 0 && current.startsWith(goesOn) ? current.slice(goesOn.length) : null;
    const text = more ?? `${eraseRow(terminal, goesOn)}${rows.map(encodeRow).join('')}${current}`;
    drawn = tail.finished;
    goesOn = current;
    writing = true;
    terminal.write(text, () => {
      writing = false;
      settle();
      schedule();
    });
  };
  const schedule = () => {
    frame ??= requestAnimationFrame(draw);
  };

  const off = onOutput(callId, schedule);
  const onScroll = () => {
    following = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AT_END;
  };
  scroller.addEventListener('scroll', onScroll, { passive: true });
  // The terminal would take the wheel for itself; here the box scrolls.
  const onWheel = (event: Event) => event.stopPropagation();
  scroller.addEventListener('wheel', onWheel, { capture: true, passive: true });

  const fit = () => {
    const cell = measureCellWidth(terminal, element);
    const space = scroller.clientWidth - 24;
    if (cell > 0 && space > 0) {
      const cols = Math.max(20, Math.floor(space / cell));
      if (cols !== terminal.cols) terminal.resize(cols, terminal.rows);
    }
    settle();
  };
  const resized = new ResizeObserver(fit);
  resized.observe(scroller);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const recolor = () => {
    terminal.options.theme = buildTheme();
  };
  scheme.addEventListener('change', recolor);
  const attribute = new MutationObserver(recolor);
  attribute.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  schedule();

  return () => {
    off();
    if (frame !== null) cancelAnimationFrame(frame);
    scroller.removeEventListener('scroll', onScroll);
    scroller.removeEventListener('wheel', onWheel, { capture: true });
    resized.disconnect();
    attribute.disconnect();
    scheme.removeEventListener('change', recolor);
    terminal.dispose();
  };
}

/** Back to where the row that goes on begins, with what it takes emptied. */
function eraseRow(terminal: Terminal, goesOn: string): string {
  if (goesOn === '') return '';
  const buffer = terminal.buffer.active;
  let up = 0;
  while (up < buffer.cursorY && buffer.getLine(buffer.baseY + buffer.cursorY - up)?.isWrapped === true) up += 1;
  return `${up === 0 ? '' : `\u{1b}[${up}A`}\r\u{1b}[J`;
}

/** How many rows the last lines take, wrapped ones counted in full. */
function countRowsOfLastLines(terminal: Terminal): number {
  const buffer = terminal.buffer.active;
  let lines = 0;
  let row = buffer.baseY + buffer.cursorY;
  const last = row;
  const wanted = buffer.cursorX === 0 ? FIRST_ROWS : TAIL_LINES;
  for (; row >= 0 && lines < wanted; row -= 1) if (buffer.getLine(row)?.isWrapped === false) lines += 1;
  return Math.max(FIRST_ROWS, last - row);
}

const measureCellWidth = (terminal: Terminal, element: HTMLElement): number =>
  (element.querySelector('.xterm-screen')?.getBoundingClientRect().width ?? 0) / terminal.cols;

const INKS = [
  'black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white',
  'brightBlack', 'brightRed', 'brightGreen', 'brightYellow', 'brightBlue', 'brightMagenta', 'brightCyan', 'brightWhite',
] as const; // prettier-ignore

const buildTheme = (): ITheme => ({
  background: resolveColor('--surface-code'),
  foreground: resolveColor('--text-code'),
  cursor: resolveColor('--surface-code'),
  selectionBackground: resolveColor('--surface-selected'),
  // Chosen for contrast already: the terminal's own correction writes inline styles, which the page forbids.
  ...Object.fromEntries(INKS.map((name, at) => [name, resolveColor(`--ansi-${at}`)])),
  extendedAnsi: Array.from({ length: 8 }, (_, at) => resolveColor(`--ansi-paper-${at}`)),
});
