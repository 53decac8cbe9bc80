import { useMemo } from 'react';
import { ALL_ROWS, layOutArguments, type ArgumentRow } from '#contract/vocabulary/sheet-folding.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { VirtualRows } from '../../ui/layout/virtual-rows.js';
import { counted } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';
import './json-tree.css';

export interface ArgumentTreeProps {
  readonly value: JsonObject;
  readonly label: string;
  /** Names to point out, as changed by an edit. */
  readonly marked: ReadonlySet<string>;
  /** The pointers of opened parts so far. */
  readonly opened: ReadonlySet<string>;
  readonly onOpen: (key: string) => void;
}

const ROW = 22;
/** The deepest indentation: deeper rows are indented as these are, so that nothing is pushed out of sight. */
const MAX_INDENT = 12;
/** Up to here everything is drawn, so that it can be searched and copied as a whole. */
const MAX_PLAIN_ROWS = 200;

/** Arguments where they are decided about: nothing is folded that fits, and what is folded says how much it is. */
export function ArgumentTree({ value, label, marked, opened, onOpen }: ArgumentTreeProps) {
  const { rows, rowsLeft } = useMemo(() => layOutArguments(value, opened), [value, opened]);
  if (rows.length === 0) return <p className="secondary">No arguments</p>;
  const draw = (row: ArgumentRow) => (
    <Row row={row} onOpen={onOpen} isMarked={row.depth === 0 && marked.has(row.label)} />
  );
  return (
    <>
      {rows.length > MAX_PLAIN_ROWS ? (
        <VirtualRows
          rows={rows}
          label={label}
          className="gh-json gh-json-long"
          heightOf={() => ROW}
          keyOf={({ pointer }) => pointer}
          draw={draw}
        />
      ) : (
        <ul className="gh-json" aria-label={label}>
          {rows.map((row) => (
            <li key={row.pointer}>{draw(row)}</li>
          ))}
        </ul>
      )}
      {rowsLeft === 0 ? null : (
        <button type="button" className="gh-link-button" onClick={() => onOpen(ALL_ROWS)}>
          Show {counted(rowsLeft, 'more row')}
        </button>
      )}
    </>
  );
}

interface RowProps {
  readonly row: ArgumentRow;
  readonly onOpen: (key: string) => void;
  readonly isMarked: boolean;
}

function Row({ row: { pointer, depth, label, value, shown }, onOpen, isMarked }: RowProps) {
  return (
    <div className="gh-json-row" style={{ paddingInlineStart: Math.min(depth, MAX_INDENT) * 16 }}>
      <span className={isMarked ? 'gh-json-name gh-json-marked' : 'gh-json-name'}>
        <Visible text={label} />
      </span>
      {typeof value === 'string' ? (
        <span className="gh-json-text">
          {value === '' ? <span className="secondary">empty text</span> : <Visible text={value.slice(0, shown)} />}
          {shown === value.length ? null : (
            <>
              …{' '}
              <button type="button" className="gh-link-button" onClick={() => onOpen(pointer)}>
                Show {counted(value.length - shown, 'more character')}
              </button>
            </>
          )}
        </span>
      ) : typeof value === 'object' && value !== null ? (
        <span className="secondary">
          {Array.isArray(value)
            ? `list of ${counted(value.length, 'item')}`
            : counted(Object.keys(value).length, 'field')}
        </span>
      ) : (
        <span className="gh-json-other">{JSON.stringify(value)}</span>
      )}
    </div>
  );
}
