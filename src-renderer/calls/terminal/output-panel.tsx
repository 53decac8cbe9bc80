import { FileText } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { Button } from '../../ui/form/button.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { loadLazily } from '../../ui/notice/load-lazily.js';
import { getTail, useHasTail } from './live/live-tails.js';
import { TerminalRow } from './terminal-row.js';
import { OutputViewer } from './output-viewer.js';
import { StopButton } from './stop-button.js';
import './terminal.css';

const LiveTerminal = loadLazily('Opening the terminal', async () => (await import('./live-terminal.js')).LiveTerminal);

/** A command shows its output from the start; other calls when they wrote something. */
const hasOutputPanel = (call: CallSummary, heard: boolean): boolean =>
  heard || call.hasOutput || (call.display === 'executing' && call.nature === 'command');

/** Whether the panel is shown, with its own way to stop the call. */
export const useHasOutputPanel = (call: CallSummary): boolean => hasOutputPanel(call, useHasTail(call.callId));

/** The output of a call: live while it runs, its last lines afterwards, and everything on request. */
export function OutputPanel({ call }: { readonly call: CallSummary }) {
  const heard = useHasTail(call.callId);
  const running = call.display === 'executing';
  const [showsAll, setShowsAll] = useState(false);
  if (!hasOutputPanel(call, heard)) return null;
  const name = `Output of ${toVisibleText(call.tool)}`;
  return (
    <section className="gh-output" aria-label={name}>
      <div className="gh-output-head">
        <span className="secondary">
          {running ? 'Output, last 50 lines' : heard ? 'Output (last lines)' : 'Output'}
        </span>
        <span className="gh-output-tools">
          {running ? <StopButton callId={call.callId} /> : null}
          {call.outcome !== null && call.hasOutput ? (
            <Button size="small" tone="quiet" icon={<FileText aria-hidden />} onClick={() => setShowsAll(true)}>
              Show all
            </Button>
          ) : null}
        </span>
      </div>
      {running ? <LiveTerminal callId={call.callId} /> : heard ? <StillTail callId={call.callId} /> : null}
      <OutputDialog call={call} open={showsAll} onClose={() => setShowsAll(false)} />
    </section>
  );
}

/** The last lines after the end, without a terminal behind them. */
function StillTail({ callId }: { readonly callId: string }) {
  const rows = getTail(callId)?.rows() ?? [];
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, []);
  return (
    <pre ref={box} className="gh-terminal gh-terminal-still" {...FOCUSABLE}>
      {rows.map((row, index) => (
        <span key={index}>
          <TerminalRow row={row} />
          {row.text.endsWith('\n') ? '\n' : ''}
        </span>
      ))}
    </pre>
  );
}

export interface OutputDialogProps {
  readonly call: CallSummary;
  readonly open: boolean;
  readonly onClose: () => void;
}

export function OutputDialog({ call, open, onClose }: OutputDialogProps) {
  const name = `All output of ${toVisibleText(call.tool)}`;
  return (
    <Dialog
      open={open}
      title={name}
      size="large"
      className="gh-viewer-dialog"
      onDismiss={onClose}
      foot={<Button onClick={onClose}>Close</Button>}
    >
      <OutputViewer callId={call.callId} name={name} />
    </Dialog>
  );
}
