import { ChevronRight, FileMinus, FilePen, FilePlus } from 'lucide-react';
import { memo, useState } from 'react';
import { MAX_SHEET_CHARACTERS } from '#contract/vocabulary/sheet-folding.js';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import { counted } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';
import { hasInvisible } from '#contract/vocabulary/text/visible-text.js';
import { PathActions } from '../path/path-actions.js';
import { getDiff, isOpaque } from './diff-store.js';
import type { DiffRow } from './diff-rows.js';
import { cutAtCharacter, splitFarBlanks } from './far-blanks.js';
import { highlightLine, type Token } from './highlight.js';
import type { DiffLine } from './line-diff.js';

export interface ShownFile extends FileEffect {
  /** Where it lies, where its path does not say that. */
  readonly absolute?: string;
}

export type ViewRow =
  | { readonly kind: 'file'; readonly index: number; readonly file: ShownFile; readonly open: boolean }
  | { readonly kind: 'note'; readonly index: number; readonly text: string }
  | { readonly kind: 'row'; readonly index: number; readonly row: DiffRow; readonly path: string };

const CHANGES = {
  created: { Icon: FilePlus, word: 'New file' },
  modified: { Icon: FilePen, word: 'Changed' },
  deleted: { Icon: FileMinus, word: 'Deleted' },
} as const;

export interface FileHeadProps {
  readonly row: Extract<ViewRow, { kind: 'file' }>;
  readonly workspace: string | null;
  readonly onToggle: (index: number) => void;
  readonly counted: boolean;
}

export function FileHead({ row, workspace, onToggle, counted: withCounts }: FileHeadProps) {
  const { Icon, word } = CHANGES[row.file.change];
  const counts = withCounts && !isOpaque(row.file) ? getDiff(row.file) : null;
  return (
    <div className="gh-diff-head">
      <button type="button" className="gh-diff-file" aria-expanded={row.open} onClick={() => onToggle(row.index)}>
        <ChevronRight aria-hidden className={row.open ? 'gh-diff-arrow gh-diff-arrow-open' : 'gh-diff-arrow'} />
        <Icon aria-hidden className={`gh-diff-icon gh-diff-${row.file.change}`} />
        <span className="gh-diff-path">
          <Visible text={row.file.path} />
        </span>
        <span className="secondary">{word}</span>
        {counts === null ? null : (
          <span className="gh-diff-counts">
            <span className="gh-diff-plus">+{counts.added}</span>{' '}
            <span className="gh-diff-minus">−{counts.removed}</span>
          </span>
        )}
      </button>
      <PathActions path={row.file.path} workspace={workspace} leadingThere={row.file.absolute} />
    </div>
  );
}

export interface DiffRowViewProps {
  readonly row: Exclude<ViewRow, { kind: 'file' }>;
  readonly onOpenGap: (file: number, id: number) => void;
  /** Where it is decided about: a long line was opened. Null elsewhere. */
  readonly onOpenLine: OpenLine;
}

type OpenLine = ((file: number, line: DiffLine) => void) | null;

export const DiffRowView = memo(function DiffRowView({ row, onOpenGap, onOpenLine }: DiffRowViewProps) {
  if (row.kind === 'note') {
    return (
      <p className="gh-diff-note">
        <Visible text={row.text} />
      </p>
    );
  }
  const { row: shown, path, index } = row;
  switch (shown.kind) {
    case 'gap':
      return (
        <button type="button" className="gh-diff-gap" onClick={() => onOpenGap(index, shown.id)}>
          {counted(shown.count, 'unchanged line')}
        </button>
      );
    case 'line':
      return (
        <div className={`gh-diff-line gh-diff-${shown.line.kind}`}>
          <span className="gh-diff-number">{shown.line.oldNumber ?? ''}</span>
          <span className="gh-diff-number">{shown.line.newNumber ?? ''}</span>
          <Code line={shown.line} path={path} index={index} onOpen={onOpenLine} />
        </div>
      );
    case 'pair':
      return (
        <div className="gh-diff-pair">
          <DiffHalf line={shown.left} number={shown.left?.oldNumber ?? null} {...{ path, index, onOpenLine }} />
          <DiffHalf line={shown.right} number={shown.right?.newNumber ?? null} {...{ path, index, onOpenLine }} />
        </div>
      );
  }
});

interface DiffHalfProps {
  readonly line: DiffLine | null;
  readonly number: number | null;
  readonly path: string;
  readonly index: number;
  readonly onOpenLine: OpenLine;
}

function DiffHalf({ line, number, path, index, onOpenLine }: DiffHalfProps) {
  if (line === null) return <div className="gh-diff-line gh-diff-nothing" />;
  return (
    <div className={`gh-diff-line gh-diff-half gh-diff-${line.kind}`}>
      <span className="gh-diff-number">{number ?? ''}</span>
      <Code line={line} path={path} index={index} onOpen={onOpenLine} />
    </div>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;
const SAID = { same: null, added: 'Added: ', removed: 'Removed: ' } as const;
/** Longer lines are cut until asked for: a minified file is one line of a megabyte. */
const CUT = 2000;
const MORE = 50_000;

interface CodeProps {
  readonly line: DiffLine;
  readonly path: string;
  readonly index: number;
  readonly onOpen: OpenLine;
}

function Code({ line, path, index, onOpen }: CodeProps) {
  const [limit, setLimit] = useState(onOpen === null ? CUT : MAX_SHEET_CHARACTERS);
  const open = () => {
    setLimit(onOpen === null ? limit + MORE : Infinity);
    onOpen?.(index, line);
  };
  const text = line.text.slice(0, cutAtCharacter(line.text, limit));
  const rest = line.text.slice(text.length);
  const said = SAID[line.kind];
  return (
    <span className="gh-diff-code">
      <span className="gh-diff-sign" aria-hidden>
        {SIGNS[line.kind]}
      </span>
      {said === null ? null : <span className="sr-only">{said}</span>}
      <Tokens text={text} changed={line.changed} path={path} />
      {rest !== '' ? (
        <>
          …{' '}
          <button type="button" className="gh-link-button" onClick={open}>
            Show more ({counted(rest.length, 'character')} left
            {hasInvisible(rest) ? ', hidden characters among them' : ''})
          </button>
        </>
      ) : null}
      {line.noNewline ? <span className="gh-diff-eof"> no line break at the end</span> : null}
    </span>
  );
}

function Tokens(props: { readonly text: string; readonly changed: DiffLine['changed']; readonly path: string }) {
  const { text, changed, path } = props;
  const tokens = highlightLine(text, path);
  if (changed === null || changed[0] === changed[1]) return tokens.map(draw);
  return split(tokens, changed).map(({ token, inside }, index) =>
    inside ? (
      <mark key={index} className="gh-diff-mark">
        {draw(token, 0)}
      </mark>
    ) : (
      draw(token, index)
    ),
  );
}

const draw = ({ text, kind }: Token, key: number) =>
  kind === null ? (
    <Drawn key={key} text={text} />
  ) : (
    <span key={key} className={`gh-syntax-${kind}`}>
      <Drawn text={text} />
    </span>
  );

function Drawn({ text }: { readonly text: string }) {
  return splitFarBlanks(text).map((part, index) =>
    part.kind === 'text' ? (
      <Visible key={index} text={part.text} />
    ) : (
      <span key={index} className="gh-escape" title="A long gap: what follows is easy to overlook">
        {counted(part.count, 'blank')}
      </span>
    ),
  );
}

/** Cuts the tokens at both ends of the changed span. */
function split(tokens: readonly Token[], [from, to]: readonly [number, number]) {
  const pieces: { readonly token: Token; readonly inside: boolean }[] = [];
  let at = 0;
  for (const token of tokens) {
    const cuts = [0, from - at, to - at, token.text.length].map((cut) => Math.min(Math.max(cut, 0), token.text.length));
    for (const [index, start] of cuts.entries()) {
      const end = cuts[index + 1];
      if (end === undefined || end <= start) continue;
      pieces.push({ token: { ...token, text: token.text.slice(start, end) }, inside: index === 1 });
    }
    at += token.text.length;
  }
  return pieces;
}
