import { Wrench } from 'lucide-react';
import { useState } from 'react';
import type { ToolView } from '#contract/window/tools.js';
import { goTo, useApp } from '../../store/app.js';
import { useCurrent } from '../../store/use-current.js';
import { Button } from '../../ui/form/button.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { RiskMark } from '../../ui/text/marks.js';
import { Page } from '../../ui/layout/page.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { POLICY_WORDS } from './policy-words.js';
import { ToolDetails } from './tool-details.js';
import './tools.css';

export function ToolsPage() {
  const { value: tools, error, reload } = useCurrent('tools.list', {});
  const anchor = useApp((state) => state.anchor);
  const [selected, setSelected] = useState<string | null>(anchor);

  const shown = tools?.find((tool) => tool.name === selected) ?? tools?.[0] ?? null;
  return (
    <Page title="Tools" about="What can be asked for, what each may do here, and which rule says so." fill>
      {error === null ? null : <Problem title="The tools can’t be listed" error={error} onRetry={reload} />}
      {tools === null && error === null ? <Skeleton label="Reading the tools" lines={8} /> : null}
      {tools?.length === 0 ? (
        <EmptyState
          title="No tools"
          icon={<Wrench aria-hidden />}
          actions={<Button onClick={() => goTo('settings', 'tools.mode')}>Open the settings</Button>}
        >
          None is registered in this mode. With tools on, those that come with the app are listed here.
        </EmptyState>
      ) : null}
      {tools === null || shown === null ? null : (
        <div className="gh-tools">
          <ToolList tools={tools} shown={shown} onSelect={setSelected} />
          <ToolDetails key={shown.name} tool={shown} onChanged={reload} />
        </div>
      )}
    </Page>
  );
}

interface ToolListProps {
  readonly tools: readonly ToolView[];
  readonly shown: ToolView;
  readonly onSelect: (name: string) => void;
}

function ToolList({ tools, shown, onSelect }: ToolListProps) {
  return (
    <ul className="gh-tool-list" aria-label="Tools">
      {tools.map((tool) => (
        <li key={tool.name}>
          <button
            type="button"
            className="gh-tool-entry"
            aria-current={tool === shown ? 'true' : undefined}
            onClick={() => onSelect(tool.name)}
          >
            <span className="gh-tool-name mono">{tool.name}</span>
            <span className="gh-tool-policy secondary">{POLICY_WORDS[tool.policy].short}</span>
            <RiskMark risk={tool.risk} />
          </button>
        </li>
      ))}
    </ul>
  );
}
