import type { OutputRow } from '#contract/vocabulary/screen/terminal-rows.js';
import { type TextStyle, splitStyle, PLAIN_STYLE } from '#contract/vocabulary/screen/text-style.js';
import { joinClassNames } from '../../ui/style/join-class-names.js';
import { Visible } from '../../ui/text/visible.js';
import { splitRow } from './row-parts.js';
import './looks.css';
import './terminal.css';

export interface TerminalRowProps {
  readonly row: OutputRow;
  readonly longest?: number;
  /** Where found words begin in it, and how long they are. */
  readonly found?: { readonly at: readonly number[]; readonly length: number };
}

/** A row of output in its colours. */
export function TerminalRow({ row, longest, found }: TerminalRowProps) {
  let at = 0;
  return splitRow(row, longest).flatMap(({ text, look }) => {
    const from = at;
    at += text.length;
    return cutRow(text, from, found).map((part) => (
      <Part key={part.from} text={part.text} look={look} found={part.found} />
    ));
  });
}

function Part({ text, look, found }: { readonly text: string; readonly look: TextStyle; readonly found: boolean }) {
  const shown =
    look === PLAIN_STYLE ? (
      <Visible text={text} />
    ) : (
      <span className={styleClass(look)}>
        <Visible text={text} />
      </span>
    );
  return found ? <mark className="gh-found">{shown}</mark> : shown;
}

/** Text on paper has the text's own colour, so that it can be read. */
function styleClass(look: TextStyle): string {
  const { fore, back, bold, italic, underline, strike, stderr } = splitStyle(look);
  return joinClassNames(
    back !== null ? `gh-paper-${back % 8}` : fore !== null && `gh-ink-${fore}`,
    stderr && 'gh-stderr',
    bold && 'gh-bold',
    italic && 'gh-italic',
    underline && 'gh-underline',
    strike && 'gh-strike',
  );
}

interface CutRow {
  readonly text: string;
  readonly from: number;
  readonly found: boolean;
}

function cutRow(text: string, from: number, found: TerminalRowProps['found']): readonly CutRow[] {
  const end = from + text.length;
  const cuts: CutRow[] = [];
  let at = from;
  const take = (to: number, isFound: boolean): void => {
    if (to > at) cuts.push({ text: text.slice(at - from, to - from), from: at, found: isFound });
    at = Math.max(at, to);
  };
  for (const place of found?.at ?? []) {
    if (place + (found?.length ?? 0) <= from || place >= end) continue;
    take(Math.min(place, end), false);
    take(Math.min(place + (found?.length ?? 0), end), true);
  }
  take(end, false);
  return cuts;
}
