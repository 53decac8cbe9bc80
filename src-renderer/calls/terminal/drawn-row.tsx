import type { OutputRow } from '#contract/vocabulary/screen/terminal-rows.js';
import { type TextStyle, splitStyle, PLAIN_STYLE } from '#contract/vocabulary/screen/text-style.js';
import { classNames } from '../../ui/style/class-names.js';
import { Visible } from '../../ui/text/visible.js';
import { rowParts } from './row-parts.js';
import './looks.css';
import './terminal.css';

export interface DrawnRowProps {
  readonly row: OutputRow;
  readonly longest?: number;
  /** Where found words begin in it, and how long they are. */
  readonly found?: { readonly at: readonly number[]; readonly length: number };
}

/** A row of output in its colours. */
export function DrawnRow({ row, longest, found }: DrawnRowProps) {
  let at = 0;
  return rowParts(row, longest).flatMap(({ text, look }) => {
    const from = at;
    at += text.length;
    return cutAt(text, from, found).map((part) => (
      <Part key={part.from} text={part.text} look={look} found={part.found} />
    ));
  });
}

function Part({ text, look, found }: { readonly text: string; readonly look: TextStyle; readonly found: boolean }) {
  const shown =
    look === PLAIN_STYLE ? (
      <Visible text={text} />
    ) : (
      <span className={lookClass(look)}>
        <Visible text={text} />
      </span>
    );
  return found ? <mark className="gh-found">{shown}</mark> : shown;
}

/** Text on paper has the text's own colour, so that it can be read. */
function lookClass(look: TextStyle): string {
  const { fore, back, bold, italic, underline, strike, stderr } = splitStyle(look);
  return classNames(
    back !== null ? `gh-paper-${back % 8}` : fore !== null && `gh-ink-${fore}`,
    stderr && 'gh-stderr',
    bold && 'gh-bold',
    italic && 'gh-italic',
    underline && 'gh-underline',
    strike && 'gh-strike',
  );
}

interface Cut {
  readonly text: string;
  readonly from: number;
  readonly found: boolean;
}

function cutAt(text: string, from: number, found: DrawnRowProps['found']): readonly Cut[] {
  const end = from + text.length;
  const cuts: Cut[] = [];
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
