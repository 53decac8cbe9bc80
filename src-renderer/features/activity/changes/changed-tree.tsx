import { Folder, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ChangedPath } from '#contract/vocabulary/activity/changes.js';
import type { ShownFile } from '../../../calls/diff/diff-row-view.js';
import { PathActions } from '../../../calls/path/path-actions.js';
import { getDiff, isOpaque } from '../../../calls/diff/diff-store.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { Button } from '../../../ui/form/button.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { type TreeRow, buildTreeRows } from './file-tree.js';

/** So many lines at first, and so many more with each press. */
const SHOWN = 100;

export interface ChangedTreeProps {
  readonly files: readonly ChangedPath[];
  /** The same files as they are compared, in the same order. */
  readonly effects: readonly ShownFile[];
  readonly workspace: string;
  readonly onUndo: (file: ChangedPath) => void;
}

/** The changed files below their folders, with what was added and removed. */
export function ChangedTree({ files, effects, workspace, onUndo }: ChangedTreeProps) {
  const [shown, setShown] = useState(SHOWN);
  const rows = useMemo(() => buildTreeRows(files), [files]);
  const effectOf = useMemo(() => new Map(files.map((file, at) => [file, effects[at]])), [files, effects]);
  return (
    <>
      <ul className="gh-tree" aria-label="Changed files">
        {rows.slice(0, shown).map((row) =>
          row.kind === 'folder' ? (
            <li key={`${row.path}/`} className="gh-tree-row" style={indent(row)}>
              <Folder aria-hidden className="gh-tree-icon" />
              <span className="secondary">
                <Visible text={row.name} />
              </span>
            </li>
          ) : (
            <li key={`${row.file.folder} ${row.file.path}`} className="gh-tree-row" style={indent(row)}>
              <span className={`gh-tree-name mono gh-tree-${row.file.change}`} title={toVisibleText(row.file.path)}>
                <Visible text={row.name} />
              </span>
              <Counts effect={effectOf.get(row.file)} />
              <span className="gh-tree-calls secondary">{counted(row.file.callIds.length, 'call')}</span>
              <PathActions path={row.file.path} workspace={workspace} leadingThere={effectOf.get(row.file)?.absolute} />
              {row.file.between ? <span className="secondary">also changed by another program</span> : null}
              {row.file.lasting === null ? (
                <Button
                  size="small"
                  tone="quiet"
                  icon={<Undo2 aria-hidden />}
                  aria-label={`Undo ${toVisibleText(row.file.path)}`}
                  onClick={() => onUndo(row.file)}
                >
                  Undo
                </Button>
              ) : (
                <span className="secondary">
                  can’t be undone: <Visible text={row.file.lasting} />
                </span>
              )}
            </li>
          ),
        )}
      </ul>
      {rows.length > shown ? (
        <Button size="small" tone="quiet" onClick={() => setShown(shown + SHOWN)}>
          Show {Math.min(SHOWN, rows.length - shown)} more
        </Button>
      ) : null}
    </>
  );
}

const indent = ({ depth }: TreeRow) => ({ paddingInlineStart: depth * 16 });

const WORDS = { created: 'new', modified: 'changed', deleted: 'deleted' } as const;

function Counts({ effect }: { readonly effect: ShownFile | undefined }) {
  if (effect === undefined) return null;
  if (isOpaque(effect)) return <span className="secondary">{WORDS[effect.change]}</span>;
  const { added, removed } = getDiff(effect);
  return (
    <span className="gh-tree-counts">
      <span className="secondary">{WORDS[effect.change]}</span> <span className="gh-diff-plus">+{added}</span>{' '}
      <span className="gh-diff-minus">−{removed}</span>
    </span>
  );
}
