import { Pencil } from 'lucide-react';
import { useState } from 'react';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import type { SourceDetail, SourceToolView } from '#contract/window/tools/sources.js';
import { Button } from '../../../ui/form/button.js';
import { Tabs } from '../../../ui/layout/tabs.js';
import { VirtualRows } from '../../../ui/layout/virtual-rows.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { CodeBlock, Mono } from '../../../ui/text/code-block.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { SourceForm } from '../add/source-form.js';
import { TOOL_STATE_LABELS } from './source-labels.js';
import { SourceHome } from './source-home.js';
import { SourceSettingsFacts } from './source-settings.js';
import { useSourcesRequest } from './use-sources.js';

/** Up to here a list grows with its content; beyond, it scrolls and only what is in sight is drawn. */
const DRAW_ALL = 40;

/** Details of a source: its tools, its log, its settings. */
export function SourceDetails({ name, onTool }: { readonly name: string; readonly onTool: (name: string) => void }) {
  const { value, error, reload } = useSourcesRequest('sources.get', { name });
  const [tab, setTab] = useState<'tools' | 'log' | 'settings'>('tools');
  if (error !== null) return <Problem title={`${name} can’t be read`} error={error} onRetry={reload} />;
  if (value === null) return <Skeleton label={`Reading ${name}`} lines={3} />;
  return (
    <>
      <SourceHome name={name} home={value.home} onCleared={reload} />
      <Tabs
        label={`More about ${name}`}
        selected={tab}
        onSelect={setTab}
        tabs={[
          {
            id: 'tools',
            label: `Tools (${value.tools.length})`,
            content: <SourceTools source={value} onTool={onTool} />,
          },
          { id: 'log', label: 'Log', content: <Log source={value} /> },
          {
            id: 'settings',
            label: 'Settings',
            content:
              value.settings === null ? (
                <p className="secondary">Its settings can’t be read. Correct them in the config file.</p>
              ) : (
                <SettingsTab name={name} settings={value.settings} onSaved={reload} />
              ),
          },
        ]}
      />
    </>
  );
}

/** How it is set, and the form to set it otherwise. */
function SettingsTab({
  name,
  settings,
  onSaved,
}: {
  readonly name: string;
  readonly settings: SourceSettings;
  readonly onSaved: () => void;
}) {
  /** The settings as they were when the person began: others may change them meanwhile. */
  const [edited, setEdited] = useState<SourceSettings | null>(null);
  if (edited === null)
    return (
      <>
        <SourceSettingsFacts settings={settings} />
        <Button size="small" icon={<Pencil aria-hidden />} onClick={() => setEdited(settings)}>
          Edit settings<span className="sr-only"> of {name}</span>
        </Button>
      </>
    );
  return (
    <SourceForm
      taken={[]}
      editing={{ name, settings: edited }}
      onDone={() => {
        setEdited(null);
        onSaved();
      }}
      onCancel={() => setEdited(null)}
    />
  );
}

function Log({ source: { stderr } }: { readonly source: SourceDetail }) {
  return stderr === '' ? (
    <p className="secondary">It has said nothing. What a server logs, or writes to stderr, stands here.</p>
  ) : (
    <CodeBlock label="Log, last lines" text={toVisibleText(stderr)} maxHeight={280} />
  );
}

interface SourceToolsProps {
  readonly source: SourceDetail;
  readonly onTool: (name: string) => void;
}

function SourceTools({ source: { name, tools }, onTool }: SourceToolsProps) {
  if (tools.length === 0) return <p className="secondary">No tools are known of it yet. Start it to see them.</p>;
  const draw = (tool: SourceToolView) => <SourceTool tool={tool} onTool={onTool} />;
  if (tools.length > DRAW_ALL) {
    return (
      <VirtualRows
        rows={tools}
        label={`${counted(tools.length, 'tool')} of ${name}`}
        className="gh-source-tools gh-source-tools-many"
        heightOf={() => 56}
        keyOf={buildToolKey}
        draw={draw}
      />
    );
  }
  return (
    <ul className="gh-source-tools" aria-label={`Tools of ${name}`}>
      {tools.map((tool) => (
        <li key={buildToolKey(tool)}>{draw(tool)}</li>
      ))}
    </ul>
  );
}

const buildToolKey = ({ toolId, operation, version, state }: SourceToolView): string =>
  `${toolId ?? ''} ${operation} ${version ?? ''} ${state}`;

function SourceTool({ tool, onTool }: { readonly tool: SourceToolView; readonly onTool: (name: string) => void }) {
  const { name, operation, version, title, description, state, reason, file, line, lifecycle, remarks } = tool;
  const place = file === null ? '' : ` (${file}${line === null ? '' : `, line ${line}`})`;
  return (
    <div className="gh-source-tool" data-state={state}>
      <div className="gh-source-tool-head">
        {name !== null && (state === 'accepted' || state === 'changed') ? (
          <Button size="small" tone="quiet" className="gh-source-tool-name" onClick={() => onTool(name)}>
            <Mono>
              <Visible text={name} />
            </Mono>
          </Button>
        ) : (
          <Mono>
            <Visible text={name ?? operation} />
          </Mono>
        )}
        {version === null || version === '0.0.0' ? null : <span className="secondary">{version}</span>}
        <span className={`gh-tool-state gh-tool-state-${state}`}>{TOOL_STATE_LABELS[state]}</span>
        {lifecycle === 'active' ? null : <span className="gh-tool-state">{lifecycle}</span>}
      </div>
      <p className="secondary gh-source-tool-about">
        <Visible text={firstLine(title === '' || title === operation ? description : title)} />
      </p>
      {reason === null ? null : (
        <p className="gh-field-error">
          <Visible text={`${reason}${place}`} />
        </p>
      )}
      {remarks.map((remark) => (
        <p key={remark} className="secondary">
          <Visible text={remark} />
        </p>
      ))}
    </div>
  );
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';
