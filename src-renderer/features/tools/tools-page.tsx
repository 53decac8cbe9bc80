import { Plug, Plus } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import type { SourceView } from '#contract/window/tools/sources.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { useRequest } from '../../bridge/use-request.js';
import { goTo, useApp } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { TextField } from '../../ui/form/text-field.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { Page } from '../../ui/layout/page.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { AddSource } from './add/add-source.js';
import { SourcesOverview } from './source/sources-overview.js';
import { useSourcesRequest, useSources } from './source/use-sources.js';
import { ToolDetails } from './tool-details.js';
import { ToolList } from './tool-list.js';
import { findSourceName, groupTools, buildToolRows } from './tool-rows.js';
import './tools.css';

/** The panel beside the list. */
type SidePanel =
  | { readonly kind: 'sources'; readonly opened: string | null }
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'add'; readonly first: 'paste' | 'found' };

const OF_SOURCE = 'source:';

/** Opens the target of a link from another part of the window: a tool by its name, or a source. */
function choosePanel(anchor: string | null): SidePanel {
  if (anchor === null) return { kind: 'sources', opened: null };
  return anchor.startsWith(OF_SOURCE)
    ? { kind: 'sources', opened: anchor.slice(OF_SOURCE.length) }
    : { kind: 'tool', name: anchor };
}

export function ToolsPage() {
  const tools = useSourcesRequest('tools.list', {});
  const sources = useSources();
  const anchor = useApp((state) => state.anchor);
  const [shown, setShown] = useState<SidePanel>(() => choosePanel(anchor));
  const [led, setLed] = useState(anchor);
  if (led !== anchor) {
    setLed(anchor);
    setShown(choosePanel(anchor));
  }
  const error = tools.error ?? sources.error;
  return (
    <Page
      title="Tools"
      about="The tools agents can call, where they come from, and what each may do."
      fill
      actions={
        shown.kind === 'add' ? null : (
          <Button icon={<Plus aria-hidden />} onClick={() => setShown({ kind: 'add', first: 'paste' })}>
            Add a source…
          </Button>
        )
      }
    >
      {error === null ? null : (
        <Problem
          title="The tools can’t be loaded"
          error={error}
          onRetry={tools.error === null ? sources.reload : tools.reload}
        />
      )}
      {(tools.value === null || sources.value === null) && error === null ? (
        <Skeleton label="Loading the tools" lines={8} />
      ) : null}
      {tools.value === null || sources.value === null ? null : tools.value.length === 0 ? (
        <NoTools />
      ) : (
        <Tools tools={tools.value} sources={sources.value} shown={shown} onShow={setShown} onChanged={tools.reload} />
      )}
    </Page>
  );
}

const NoTools = () => (
  <EmptyState
    title="No tools"
    icon={<Plug aria-hidden />}
    actions={<Button onClick={() => goTo('settings', 'tools.mode')}>Open the settings</Button>}
  >
    Tools are off in this mode. Turn them on to see those that come with Gatehouse.
  </EmptyState>
);

interface ToolsProps {
  readonly tools: readonly ToolView[];
  readonly sources: readonly SourceView[];
  readonly shown: SidePanel;
  readonly onShow: (shown: SidePanel) => void;
  readonly onChanged: () => void;
}

function Tools({ tools, sources, shown, onShow, onChanged }: ToolsProps) {
  const [query, setQuery] = useState('');
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const groups = useMemo(() => groupTools(tools, sources), [tools, sources]);
  const close = useCloseTools(query);
  const rows = useMemo(() => buildToolRows(groups, { query, turned, close }), [groups, query, turned, close]);
  const tool = shown.kind === 'tool' ? tools.find(({ name }) => name === shown.name) : undefined;
  const turn = (source: string) => {
    const next = new Set(turned);
    if (!next.delete(source)) next.add(source);
    setTurned(next);
  };
  const showTool = (name: string) => onShow({ kind: 'tool', name });
  return (
    <div className="gh-tools">
      <div className="gh-tools-side">
        <TextField
          type="search"
          label="Find a tool"
          labelHidden
          placeholder="Find a tool"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <button
          type="button"
          className="gh-tool-entry gh-tools-all"
          aria-current={shown.kind === 'sources' ? 'true' : undefined}
          onClick={() => onShow({ kind: 'sources', opened: null })}
        >
          All sources
          <span className="secondary">{sources.length}</span>
        </button>
        {rows.length === 0 ? (
          <p className="secondary gh-tools-none">No tool has these words.</p>
        ) : (
          <ToolList
            rows={rows}
            sources={sources}
            shown={tool?.name ?? null}
            onTool={showTool}
            onSource={(opened) => onShow({ kind: 'sources', opened })}
            onTurn={turn}
          />
        )}
      </div>
      {shown.kind === 'add' ? (
        <AddSource
          taken={sources.map(({ name }) => name)}
          first={shown.first}
          onDone={(opened) => onShow({ kind: 'sources', opened })}
          onCancel={() => onShow({ kind: 'sources', opened: null })}
        />
      ) : tool === undefined ? (
        <SourcesOverview
          sources={sources}
          opened={shown.kind === 'sources' ? shown.opened : null}
          namesBeside={(source) => tools.flatMap((each) => (findSourceName(each) === source ? [] : [each.name]))}
          onOpen={(opened) => onShow({ kind: 'sources', opened })}
          onTool={showTool}
          onAdd={(first) => onShow({ kind: 'add', first })}
        />
      ) : (
        <ToolDetails key={tool.name} tool={tool} onChanged={onChanged} />
      )}
    </div>
  );
}

const NONE: readonly string[] = [];
/** So many are asked for. */
const CLOSE = 12;

/** The ids of tools that mean something like these words. */
function useCloseTools(query: string): readonly string[] {
  const asked = useDeferredValue(query.trim());
  const { value } = useRequest('tools.search', asked === '' ? null : { query: asked.slice(0, 4000), limit: CLOSE });
  return useMemo(
    () => (value === null || asked === '' ? NONE : value.tools.map(({ toolId }) => toolId)),
    [value, asked],
  );
}
