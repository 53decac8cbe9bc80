import { Columns2, FoldVertical, Rows2, UnfoldVertical } from 'lucide-react';
import { useMemo, useState } from 'react';
import { MAX_SHEET_FILES, fitsSheet } from '#contract/vocabulary/sheet-folding.js';
import { Button } from '../../ui/form/button.js';
import { counted } from '../../ui/text/format.js';
import { VirtualRows } from '../../ui/layout/virtual-rows.js';
import { getDiff, isOpaque } from './diff-store.js';
import { DiffRowView, FileHead, type ShownFile, type ViewRow } from './diff-row-view.js';
import { type DiffLayout, buildDiffRows } from './diff-rows.js';
import { buildFileKey, buildLineKey, type OpenedInDiff } from './folded-in-diff.js';
import type { DiffLine } from './line-diff.js';
import './diff.css';

export interface DiffViewProps {
  readonly files: readonly ShownFile[];
  readonly label: string;
  /** The folder that the paths are of; left out where they can't be opened from here. */
  readonly workspace?: string;
  /** The noun for each of them, where they are no files. */
  readonly noun?: string;
  /** Where it is decided about: nothing that fits is folded, and what is opened is told. */
  readonly decided?: OpenedInDiff;
}

/** So many files are open at first; the others show their name and open when asked. */
const OPEN_AT_FIRST = 12;
/** Up to here everything is drawn and grows with its content; beyond, only what is on the screen. */
const DRAW_ALL = 240;
/** Counting compares, so a patch of thousands is counted as it is looked at. */
const COUNT_ALL = 200;

const measureRow = ({ kind }: ViewRow): number => (kind === 'file' ? 32 : 18);

let preferredLayout: DiffLayout = 'unified';

export function DiffView({ files, label, workspace, noun = 'file', decided }: DiffViewProps) {
  const [layout, setLayout] = useState<DiffLayout>(preferredLayout);
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const [gaps, setGaps] = useState<ReadonlyMap<number, ReadonlySet<number>>>(new Map());
  const isDecided = decided !== undefined;
  const openAtFirst = useMemo(
    () => (isDecided ? (fitsSheet(files) ? files.length : MAX_SHEET_FILES) : OPEN_AT_FIRST),
    [files, isDecided],
  );
  const isOpen = (index: number) => index < openAtFirst !== toggled.has(index);

  const rows = useMemo(() => {
    const built: ViewRow[] = [];
    for (const [index, file] of files.entries()) {
      const open = index < openAtFirst !== toggled.has(index);
      built.push({ kind: 'file', index, file, open });
      if (!open) continue;
      if (isOpaque(file)) built.push({ kind: 'note', index, text: file.note ?? 'It can’t be shown as text.' });
      else {
        if (file.note !== null) built.push({ kind: 'note', index, text: file.note });
        const diff = getDiff(file);
        if (diff.coarse) {
          built.push({
            kind: 'note',
            index,
            text: 'Too different to compare line by line. The old file comes first, then the new one.',
          });
        }
        if (diff.lines.length === 0) built.push({ kind: 'note', index, text: 'The file is empty.' });
        for (const row of buildDiffRows(diff.lines, layout, gaps.get(index) ?? new Set())) {
          built.push({ kind: 'row', index, row, path: file.path });
        }
      }
    }
    return built;
  }, [files, layout, toggled, gaps, openAtFirst]);

  const totals = useMemo(() => {
    if (files.length > COUNT_ALL) return null;
    return files.reduce(
      (sum, file) => {
        if (isOpaque(file)) return sum;
        const { added, removed } = getDiff(file);
        return { added: sum.added + added, removed: sum.removed + removed };
      },
      { added: 0, removed: 0 },
    );
  }, [files]);

  const change = (next: DiffLayout) => {
    preferredLayout = next;
    setLayout(next);
  };
  const allOpen = files.every((_, index) => isOpen(index));
  const toggleFile = (index: number) => {
    const next = new Set(toggled);
    if (!next.delete(index)) next.add(index);
    setToggled(next);
    if (!isOpen(index)) decided?.onOpen(buildFileKey(index));
  };
  const openGap = (index: number, id: number) =>
    setGaps(new Map(gaps).set(index, new Set([...(gaps.get(index) ?? []), id])));
  const setAll = (open: boolean) => {
    setToggled(new Set(files.flatMap((_, index) => (index < openAtFirst === open ? [] : [index]))));
    if (open) decided?.onOpen(...files.map((_, index) => buildFileKey(index)));
  };

  const onOpen = decided?.onOpen;
  const onOpenLine = useMemo(
    () => (onOpen === undefined ? null : (index: number, line: DiffLine) => onOpen(buildLineKey(index, line))),
    [onOpen],
  );
  const draw = (row: ViewRow) =>
    row.kind === 'file' ? (
      <FileHead
        row={row}
        workspace={workspace ?? null}
        onToggle={toggleFile}
        counted={files.length <= COUNT_ALL || row.open}
      />
    ) : (
      <DiffRowView row={row} onOpenGap={openGap} onOpenLine={onOpenLine} />
    );

  return (
    <section className="gh-diff" aria-label={label}>
      <div className="gh-diff-bar">
        <span className="secondary">
          {counted(files.length, noun)}
          {totals === null ? null : (
            <>
              {' '}
              <span className="gh-diff-plus">+{totals.added}</span>{' '}
              <span className="gh-diff-minus">−{totals.removed}</span>
            </>
          )}
        </span>
        <span className="gh-diff-tools">
          {files.length > 1 ? (
            <Button
              size="small"
              tone="quiet"
              icon={allOpen ? <FoldVertical aria-hidden /> : <UnfoldVertical aria-hidden />}
              onClick={() => setAll(!allOpen)}
            >
              {allOpen ? `Close all ${noun}s` : `Open all ${noun}s`}
            </Button>
          ) : null}
          <Button
            size="small"
            tone="quiet"
            icon={layout === 'side' ? <Rows2 aria-hidden /> : <Columns2 aria-hidden />}
            onClick={() => change(layout === 'side' ? 'unified' : 'side')}
          >
            {layout === 'side' ? 'One column' : 'Side by side'}
          </Button>
        </span>
      </div>
      {rows.length > DRAW_ALL ? (
        <VirtualRows
          rows={rows}
          label={`${label}, lines`}
          className="gh-diff-rows gh-diff-long"
          heightOf={measureRow}
          draw={draw}
        />
      ) : (
        <div className="gh-diff-rows">
          {rows.map((row, index) => (
            <div key={index}>{draw(row)}</div>
          ))}
        </div>
      )}
    </section>
  );
}
