import { Check } from 'lucide-react';
import { type Ref, useEffect, useId, useRef } from 'react';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import { formatHosts } from '#contract/vocabulary/network.js';
import { RiskMark } from '../../../ui/text/marks.js';
import { Visible } from '../../../ui/text/visible.js';
import { currentRisk, type SheetState } from './sheet-state.js';
import { ToolName } from '../../../calls/card/call-name.js';

export interface ApprovalListProps {
  readonly ref: Ref<HTMLElement>;
  readonly request: ApprovalRequest;
  readonly state: SheetState;
  readonly onFocus: (callId: string) => void;
}

/** The batch at a glance, and where the keyboard is at first: nothing here approves. */
export function ApprovalList({ ref, request, state, onFocus }: ApprovalListProps) {
  const id = useId();
  const current = useRef<HTMLDivElement>(null);
  useEffect(() => {
    current.current?.scrollIntoView({ block: 'nearest' });
    // The focused item is another element each time.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [state.focused]);
  const at = request.calls.findIndex(({ callId }) => callId === state.focused);

  return (
    <div className="gh-sheet-side">
      <div
        ref={ref as Ref<HTMLDivElement>}
        className="gh-sheet-list"
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select can't hold what stands in its options
        role="listbox"
        aria-label="Calls"
        aria-multiselectable
        aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
        tabIndex={0}
        data-approval-list=""
      >
        {request.calls.map((call, index) => {
          const selected = state.selected.has(call.callId);
          const focused = call.callId === state.focused;
          const network = state.network.get(call.callId);
          return (
            // The list has the keys; the mouse may choose here too.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
            <div
              key={call.callId}
              id={`${id}-${index}`}
              ref={focused ? current : null}
              // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
              role="option"
              aria-selected={selected}
              className={focused ? 'gh-sheet-item gh-sheet-item-focused' : 'gh-sheet-item'}
              onClick={() => onFocus(call.callId)}
              tabIndex={-1}
            >
              <span className={selected ? 'gh-sheet-tick gh-sheet-tick-on' : 'gh-sheet-tick'} aria-hidden>
                {selected ? <Check /> : null}
              </span>
              <span className="gh-sheet-item-text">
                <ToolName tool={call.tool} />
                <span className="gh-sheet-item-summary">
                  <Visible text={call.summary} />
                </span>
                {network === undefined ? null : (
                  <span className="gh-sheet-item-network">
                    <Visible text={network === 'any' ? 'any host' : `with ${formatHosts(network)}`} />
                  </span>
                )}
                {state.writesGit.has(call.callId) ? (
                  <span className="gh-sheet-item-network">may write .git</span>
                ) : null}
                {state.reads.has(call.callId) ? (
                  <span className="gh-sheet-item-network">may read what was hidden</span>
                ) : null}
                {state.reveals.has(call.callId) ? (
                  <span className="gh-sheet-item-network">secrets revealed</span>
                ) : null}
              </span>
              <RiskMark risk={currentRisk(state, call)} withWord={false} />
            </div>
          );
        })}
      </div>
      <p className="gh-sheet-keys">
        <kbd>↑↓</kbd> choose <kbd>Space</kbd> select <kbd>E</kbd> edit <kbd>D</kbd> reason
      </p>
    </div>
  );
}
