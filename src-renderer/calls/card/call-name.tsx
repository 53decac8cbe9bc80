import type { CallSummary } from '#contract/vocabulary/calls.js';
import { Visible } from '../../ui/text/visible.js';
import './call-name.css';

/** The attributes of every element that shows a call. */
export const buildCallAttributes = ({ callId, tool, display }: Pick<CallSummary, 'callId' | 'tool' | 'display'>) => ({
  'data-call-id': callId,
  'data-tool': tool,
  'data-state': display,
});

export function ToolName({ tool }: { readonly tool: string }) {
  return (
    <span className="gh-call-tool">
      <Visible text={tool} />
    </span>
  );
}

/** The tool, and a line on what the call would do or did. */
export function CallName({ tool, summary }: { readonly tool: string; readonly summary: string }) {
  return (
    <>
      <ToolName tool={tool} />{' '}
      <span className="gh-call-summary">
        <Visible text={summary} />
      </span>
    </>
  );
}
