import { ChevronDown, ChevronRight } from 'lucide-react';
import type { SourceView } from '#contract/window/tools/sources.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { VirtualRows } from '../../ui/layout/virtual-rows.js';
import { RiskMark } from '../../ui/text/marks.js';
import { Visible } from '../../ui/text/visible.js';
import { IconButton } from '../../ui/form/button.js';
import { POLICY_LABELS } from './policy-labels.js';
import { SourceMark } from './source/source-mark.js';
import type { ToolRow } from './tool-rows.js';

interface ToolListProps {
  readonly rows: readonly ToolRow[];
  readonly sources: readonly SourceView[];
  /** The name of the tool that is shown. */
  readonly shown: string | null;
  readonly onTool: (name: string) => void;
  readonly onSource: (name: string) => void;
  readonly onTurn: (source: string) => void;
}

/** The tools below each other; of thousands only those in sight are drawn. */
export function ToolList({ rows, sources, shown, onTool, onSource, onTurn }: ToolListProps) {
  const draw = (row: ToolRow) =>
    row.kind === 'close' ? (
      <p className="secondary gh-tools-none">Close in meaning</p>
    ) : row.kind === 'group' ? (
      <GroupHead
        row={row}
        source={sources.find(({ name }) => name === row.source) ?? null}
        onSource={onSource}
        onTurn={onTurn}
      />
    ) : (
      <ToolEntry tool={row.tool} shown={row.tool.name === shown} onTool={onTool} />
    );
  return (
    <VirtualRows
      rows={rows}
      label="Tools"
      asList
      className="gh-tool-list"
      heightOf={({ kind }) => (kind === 'tool' ? 44 : 36)}
      keyOf={buildRowKey}
      draw={draw}
    />
  );
}

function buildRowKey(row: ToolRow): string {
  if (row.kind === 'tool') return `${row.tool.id} ${row.tool.version}`;
  return row.kind === 'group' ? `source ${row.source}` : row.kind;
}

interface ToolEntryProps {
  readonly tool: ToolView;
  readonly shown: boolean;
  readonly onTool: (name: string) => void;
}

function ToolEntry({ tool, shown, onTool }: ToolEntryProps) {
  return (
    <button
      type="button"
      className="gh-tool-entry"
      aria-current={shown ? 'true' : undefined}
      onClick={() => onTool(tool.name)}
    >
      <span className="gh-tool-name mono">
        <Visible text={tool.name} />
      </span>
      <span className="gh-tool-policy secondary">{POLICY_LABELS[tool.policy].short}</span>
      <RiskMark risk={tool.risk} />
    </button>
  );
}

interface GroupHeadProps {
  readonly row: Extract<ToolRow, { readonly kind: 'group' }>;
  readonly source: SourceView | null;
  readonly onSource: (name: string) => void;
  readonly onTurn: (source: string) => void;
}

function GroupHead({ row: { source: name, count, folded }, source, onSource, onTurn }: GroupHeadProps) {
  const Arrow = folded ? ChevronRight : ChevronDown;
  return (
    <div className="gh-tool-group">
      {count === 0 ? (
        <span className="gh-tool-group-gap" />
      ) : (
        <IconButton
          label={`${folded ? 'Show' : 'Hide'} the tools of ${name}`}
          size="small"
          aria-expanded={!folded}
          onClick={() => onTurn(name)}
        >
          <Arrow aria-hidden />
        </IconButton>
      )}
      <button type="button" className="gh-tool-group-name" onClick={() => onSource(name)}>
        <span className="sr-only">Source </span>
        <span className="mono">{name}</span> <span className="secondary">{count}</span>
        {source === null ? null : <SourceMark source={source} withWord={false} />}
      </button>
    </div>
  );
}
