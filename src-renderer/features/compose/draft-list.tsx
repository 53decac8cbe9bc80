import { ArrowDown, ArrowUp, ChevronRight, Trash2 } from 'lucide-react';
import { type KeyboardEvent, memo, useRef } from 'react';
import type { PlanPreview } from '#contract/vocabulary/tools/tools.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { usePausedRequest } from '../../bridge/use-paused-request.js';
import { useWorkspace } from '../../store/app.js';
import { IconButton } from '../../ui/form/button.js';
import { TextArea } from '../../ui/form/text-field.js';
import { Visible } from '../../ui/text/visible.js';
import { parseArguments } from '../../calls/arguments/arguments-text.js';
import { changeCall, type ComposeDraft, type DraftCall, moveCall, openDraft, removeCall } from './draft.js';
import { loadLazily } from '../../ui/notice/load-lazily.js';
import { ToolName } from '../../calls/card/call-name.js';

const SchemaForm = loadLazily(
  'Opening the form',
  async () => (await import('../../calls/arguments/schema-form.js')).SchemaForm,
);

export function DraftList({ draft, tools }: { readonly draft: ComposeDraft; readonly tools: readonly ToolView[] }) {
  return (
    <ol className="gh-drafts" aria-label="Calls in this batch">
      {draft.calls.map((call, index) => (
        <DraftItem
          key={call.key}
          call={call}
          index={index}
          last={index === draft.calls.length - 1}
          open={draft.opened === call.key}
          tool={tools.find(({ name }) => name === call.tool) ?? null}
        />
      ))}
    </ol>
  );
}

interface DraftItemProps {
  readonly call: DraftCall;
  readonly index: number;
  readonly last: boolean;
  readonly open: boolean;
  readonly tool: ToolView | null;
}

const DraftItem = memo(function DraftItem({ call, index, last, open, tool }: DraftItemProps) {
  const parsed = parseArguments(call.text);
  const workspace = useWorkspace()?.path ?? '';
  // The plan that main would have for it.
  const asked = usePausedRequest(
    'compose.plan',
    parsed.ok ? { workspace, tool: call.tool, arguments: call.text } : null,
  );
  const plan = asked.error === null ? asked.value : null;
  const item = useRef<HTMLLIElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    moveCall(call.key, event.key === 'ArrowUp' ? -1 : 1);
  };
  return (
    // The arrow keys with Alt move a call; its buttons do the same.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <li ref={item} className="gh-draft" aria-label={`Call ${index + 1}: ${call.tool}`} onKeyDown={onKeyDown}>
      <div className="gh-draft-head">
        <button
          type="button"
          className="gh-call-unfold"
          aria-expanded={open}
          onClick={() => openDraft(open ? null : call.key)}
          title="Alt+↑ and Alt+↓ move it"
        >
          <ChevronRight aria-hidden className={open ? 'gh-call-arrow gh-call-arrow-open' : 'gh-call-arrow'} />
          <span className="gh-draft-number">{index + 1}</span>
          <ToolName tool={call.tool} />
          <PlanWords call={call} tool={tool} plan={plan} problem={parsed.ok ? null : parsed.message} />
        </button>
        <IconButton label="Move up" size="small" disabled={index === 0} onClick={() => moveCall(call.key, -1)}>
          <ArrowUp aria-hidden />
        </IconButton>
        <IconButton label="Move down" size="small" disabled={last} onClick={() => moveCall(call.key, 1)}>
          <ArrowDown aria-hidden />
        </IconButton>
        <IconButton label="Remove" size="small" onClick={() => removeCall(call.key)}>
          <Trash2 aria-hidden />
        </IconButton>
      </div>
      {open ? (
        <div className="gh-draft-body">
          {tool === null ? null : (
            <SchemaForm
              schema={tool.inputSchema}
              value={parsed.ok ? parsed.value : null}
              label={`Arguments of ${call.tool} as a form`}
              onChange={(value) => changeCall(call.key, JSON.stringify(value, null, 2))}
            />
          )}
          <TextArea
            label="Arguments as JSON"
            mono
            rows={6}
            value={call.text}
            onChange={(event) => changeCall(call.key, event.target.value)}
            error={parsed.ok ? null : parsed.message}
          />
        </div>
      ) : null}
    </li>
  );
});

interface PlanWordsProps {
  readonly call: DraftCall;
  readonly tool: ToolView | null;
  readonly plan: PlanPreview | null;
  readonly problem: string | null;
}

function PlanWords({ tool, plan, problem }: PlanWordsProps) {
  if (problem !== null) return <span className="gh-field-error">{problem}</span>;
  if (tool === null) return <span className="gh-field-error">No tool has this name.</span>;
  if (plan === null) return <span className="gh-call-summary" />;
  if (plan.disposition === 'settled') {
    return (
      <span className="gh-field-error gh-call-summary">
        <Visible text={plan.why} />
      </span>
    );
  }
  return (
    <span className="gh-call-summary">
      <Visible text={plan.summary ?? ''} />{' '}
      <span className="secondary">{plan.disposition === 'ask' ? 'needs approval' : 'no approval needed'}</span>
    </span>
  );
}
