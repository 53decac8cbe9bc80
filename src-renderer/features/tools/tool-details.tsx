import { Play } from 'lucide-react';
import { useState } from 'react';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { formatLimit } from '../../calls/card/elapsed.js';
import { CallTester } from '../../calls/tester/call-tester.js';
import { goTo } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Visible } from '../../ui/text/visible.js';
import { CodeBlock, Mono } from '../../ui/text/code-block.js';
import { formatBytes, formatDuration } from '../../ui/text/format.js';
import { RiskMark } from '../../ui/text/marks.js';
import { Facts } from '../../ui/layout/page.js';
import { Tabs } from '../../ui/layout/tabs.js';
import { ToolPolicyControl } from './tool-policy-control.js';

interface ToolDetailsProps {
  readonly tool: ToolView;
  readonly onChanged: () => void;
}

export function ToolDetails({ tool, onChanged }: ToolDetailsProps) {
  const [tab, setTab] = useState<'about' | 'input' | 'output' | 'test'>('about');
  return (
    <section className="gh-tool" aria-label={tool.name} data-tool={tool.name}>
      <header className="gh-tool-head">
        <h2 className="mono">
          <Visible text={tool.name} />
        </h2>
        <span className="secondary">version {tool.version}</span>
        <RiskMark risk={tool.risk} />
        <Button size="small" icon={<Play aria-hidden />} onClick={() => goTo('compose', tool.name)}>
          Try it…
        </Button>
      </header>
      <p className="gh-tool-about">
        <Visible text={tool.description} />
      </p>
      <ToolPolicyControl tool={tool} onChanged={onChanged} />
      <Tabs
        label={`More about ${tool.name}`}
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: 'about', label: 'About', content: <Nature tool={tool} /> },
          {
            id: 'input',
            label: 'Arguments',
            content: <Schema schema={tool.inputSchema} name="Schema of the arguments" />,
          },
          { id: 'output', label: 'Result', content: <Schema schema={tool.outputSchema} name="Schema of the result" /> },
          { id: 'test', label: 'What would happen?', content: <CallTester tool={tool} /> },
        ]}
      />
    </section>
  );
}

const yes = (value: boolean, whenTrue: string, whenFalse: string) => (value ? whenTrue : whenFalse);

function Nature({ tool }: { readonly tool: ToolView }) {
  return (
    <Facts
      facts={[
        ['Id', <Mono key="id">{tool.id}</Mono>],
        ['Changes things', yes(tool.sideEffecting, 'Yes', 'No, it only reads')],
        ['Safe to repeat', yes(tool.idempotent, 'Yes', 'No')],
        ['Deterministic', yes(tool.deterministic, 'Yes', 'No')],
        ['Always asks', yes(tool.requiresApproval, 'Yes', 'No')],
        ['Permissions', tool.requiredCapabilities.length === 0 ? 'None' : tool.requiredCapabilities.join(', ')],
        ['Time limit', formatLimit(tool.timeoutMs)],
        ...Object.entries(tool.resourceLimits).map(
          ([name, limit]) => [labelLimit(name), formatLimitValue(name, limit)] as const,
        ),
      ]}
    />
  );
}

/** Labels a limit: maxOutputBytes and max_output_bytes → “Max output”; the unit is with the value. */
function labelLimit(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function formatLimitValue(name: string, limit: unknown): string {
  if (typeof limit !== 'number') return JSON.stringify(limit);
  if (/bytes$/iu.test(name)) return formatBytes(limit);
  if (/ms$/iu.test(name)) return formatDuration(limit);
  return String(limit);
}

function Schema({ schema, name }: { readonly schema: JsonObject; readonly name: string }) {
  return <CodeBlock label={name} text={JSON.stringify(schema, null, 2)} maxHeight={480} />;
}
