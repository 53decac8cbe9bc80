import { type KeyboardEvent, memo } from 'react';
import { labelAsker, DECIDER_WORDS, folderName } from '#contract/vocabulary/call-labels.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { useStopping, describeLiveCall } from '../../calls/stopping.js';
import { openCall, useCall } from '../../store/app.js';
import { formatDuration } from '../../ui/text/format.js';
import { StatusMark } from '../../ui/text/marks.js';
import { Visible } from '../../ui/text/visible.js';
import { When } from '../../ui/text/when.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { buildCallAttributes } from '../../calls/card/call-name.js';

export interface CallRowProps {
  readonly row: CallSummary | null;
  readonly index: number;
  readonly top: number;
  readonly active: boolean;
  readonly open: boolean;
  readonly onKeys: (event: KeyboardEvent, index: number) => void;
  readonly onFocus: (index: number) => void;
}

/** A call in the list, which follows it in the store while it is shown. */
export const CallRow = memo(function CallRow({ row, index, top, active, open, onKeys, onFocus }: CallRowProps) {
  const live = useCall(row?.callId ?? '');
  const stopping = useStopping(row?.callId ?? '');
  const call = live ?? row;
  const place = { transform: `translateY(${top}px)` };
  if (call === null) {
    return (
      <tr className="gh-history-row gh-history-row-loading" style={place} aria-rowindex={index + 2}>
        <td aria-busy="true">
          <span className="sr-only">Loading</span>
        </td>
      </tr>
    );
  }
  const word = describeLiveCall(call, stopping);
  // A pointer may use the whole row; the keyboard uses the button in it, whose click arrives here as well.
  const pointer = { onClick: () => openCall(call.callId) };
  return (
    <tr
      className="gh-history-row"
      style={place}
      aria-rowindex={index + 2}
      aria-current={open ? 'true' : undefined}
      {...buildCallAttributes(call)}
      {...pointer}
    >
      <td className="gh-history-mark">
        <StatusMark state={call.display} word={word} />
      </td>
      <td className="gh-history-tool mono" title={toVisibleText(call.tool)}>
        <Visible text={call.tool} />
      </td>
      <td className="gh-history-summary">
        <button
          type="button"
          tabIndex={active ? 0 : -1}
          data-row={index}
          title={toVisibleText(call.summary)}
          onKeyDown={(event) => onKeys(event, index)}
          onFocus={() => onFocus(index)}
        >
          <Visible text={call.summary} />
        </button>
      </td>
      <td className="gh-history-outcome" title={call.reason ?? undefined}>
        {word}
      </td>
      <td className="gh-history-exit">{call.exitCode}</td>
      <td className="gh-history-lines">
        {call.lines === null ? null : (
          <>
            <span className="gh-diff-plus">+{call.lines.added}</span>{' '}
            <span className="gh-diff-minus">−{call.lines.removed}</span>
          </>
        )}
      </td>
      <td className="gh-history-asker" title={toVisibleText(labelAsker(call))}>
        <Visible text={labelAsker(call)} />
      </td>
      <td className="gh-history-decided">{call.decidedBy === null ? null : DECIDER_WORDS[call.decidedBy]}</td>
      <td className="gh-history-folder" title={toVisibleText(call.workspace)}>
        <Visible text={folderName(call.workspace)} />
      </td>
      <td className="gh-history-when">
        <When at={call.startedAt} />
      </td>
      <td className="gh-history-took">{call.durationMs === null ? '' : formatDuration(call.durationMs)}</td>
    </tr>
  );
});
