import { ChevronRight } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { counted } from '../../ui/text/format.js';
import { VirtualRows } from '../../ui/layout/virtual-rows.js';
import { type JsonRow, buildJsonRows } from './json-rows.js';
import { Visible } from '../../ui/text/visible.js';
import './json-tree.css';

export interface JsonTreeProps {
  readonly value: JsonObject;
  readonly label: string;
  /** Names to point out, as changed by an edit. */
  readonly marked?: ReadonlySet<string>;
}

const ROW = 22;
/** Up to here everything is drawn, so that it can be searched and copied as a whole. */
const DRAW_ALL = 200;

/** Arguments as a tree. Large branches are closed and long texts cut until asked for, so that any size opens at once. */
export function JsonTree({ value, label, marked }: JsonTreeProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => buildJsonRows(value, toggled), [value, toggled]);
  const toggle = (pointer: string) => {
    const next = new Set(toggled);
    if (!next.delete(pointer)) next.add(pointer);
    setToggled(next);
  };
  if (rows.length === 0) return <p className="secondary">No arguments</p>;
  const draw = (row: JsonRow) => (
    <Row row={row} onToggle={toggle} marked={row.depth === 0 && marked?.has(row.label) === true} />
  );
  if (rows.length > DRAW_ALL) {
    return (
      <VirtualRows
        rows={rows}
        label={label}
        className="gh-json gh-json-long"
        heightOf={() => ROW}
        keyOf={({ pointer }) => pointer}
        draw={draw}
      />
    );
  }
  return (
    <ul className="gh-json" aria-label={label}>
      {rows.map((row) => (
        <li key={row.pointer}>{draw(row)}</li>
      ))}
    </ul>
  );
}

function Row(props: { readonly row: JsonRow; readonly onToggle: (pointer: string) => void; readonly marked: boolean }) {
  const { row, onToggle, marked } = props;
  const name = (
    <span className={marked ? 'gh-json-name gh-json-marked' : 'gh-json-name'}>
      <Visible text={row.label} />
    </span>
  );
  const style = { paddingInlineStart: row.depth * 16 };
  if (row.kind === 'value') {
    return (
      <div className="gh-json-row" style={style}>
        <span className="gh-json-space" />
        {name}
        <Value value={row.value} />
      </div>
    );
  }
  return (
    <div className="gh-json-row" style={style}>
      <button
        type="button"
        className="gh-json-toggle"
        aria-expanded={row.open}
        disabled={row.entries === 0}
        onClick={() => onToggle(row.pointer)}
      >
        <ChevronRight aria-hidden className={row.open ? 'gh-json-arrow gh-json-open' : 'gh-json-arrow'} />
        {name}
        <span className="secondary">
          {Array.isArray(row.value) ? `list of ${counted(row.entries, 'item')}` : counted(row.entries, 'field')}
        </span>
      </button>
    </div>
  );
}

const CUT = 1200;
const MORE = 100_000;

function Value({ value }: { readonly value: Json }) {
  const [limit, setLimit] = useState(CUT);
  if (typeof value !== 'string') return <span className="gh-json-other">{JSON.stringify(value)}</span>;
  const shown = value.length > limit ? value.slice(0, limit) : value;
  return (
    <span className="gh-json-text">
      {value === '' ? <span className="secondary">empty text</span> : <Visible text={shown} />}
      {shown.length < value.length ? (
        <>
          …{' '}
          <button type="button" className="gh-link-button" onClick={() => setLimit(limit + MORE)}>
            Show more ({counted(value.length - shown.length, 'character')} left)
          </button>
        </>
      ) : null}
    </span>
  );
}
