import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { listSheetFiles } from '#contract/vocabulary/sheet-folding.js';
import type { ApprovalCall } from '#contract/window/approvals.js';
import type { RunnerChange } from '#contract/vocabulary/effects.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { DiffView } from '../../../calls/diff/diff-view.js';
import type { OpenedInDiff } from '../../../calls/diff/folded-in-diff.js';
import { findChangedNames } from '../../../calls/json/json-rows.js';
import { ArgumentTree } from '../../../calls/json/argument-tree.js';
import { Visible } from '../../../ui/text/visible.js';
import { CommandView } from './command-view.js';

interface EffectViewProps {
  readonly call: ApprovalCall;
  readonly workspace: string;
  /** The opened parts so far. */
  readonly opened: ReadonlySet<string>;
  readonly onOpened: (callId: string, keys: readonly string[]) => void;
  /** What is said of the call: a command stands before it, any other effect after it. */
  readonly children: ReactNode;
}

/** What a call would do, and what is said of it. */
export function EffectView({ call, workspace, opened, onOpened, children }: EffectViewProps) {
  const { effect, callId } = call;
  const onOpen = useCallback((...keys: readonly string[]) => onOpened(callId, keys), [onOpened, callId]);
  const decided = { opened, onOpen };
  if (effect.kind === 'command')
    return (
      <>
        <CommandView
          command={effect.command}
          findings={effect.findings}
          rule={effect.rule}
          mayBeShared={effect.mayBeShared ?? null}
        >
          {children}
        </CommandView>
        {call.runnerChange === null ? null : (
          <RunnerChangeView call={call} change={call.runnerChange} workspace={workspace} decided={decided} />
        )}
      </>
    );
  return (
    <>
      {children}
      {effect.kind === 'files' ? (
        <DiffView
          files={effect.files}
          label={`What changes: ${call.summary}`}
          workspace={workspace}
          decided={decided}
        />
      ) : (
        <>
          {effect.kind === 'problem' ? (
            <NoticeBox severity="warning" title="This call will fail">
              <Visible text={effect.message} />
            </NoticeBox>
          ) : null}
          <ArgumentsView call={call} decided={decided} />
        </>
      )}
    </>
  );
}

interface RunnerChangeProps {
  readonly call: ApprovalCall;
  readonly change: RunnerChange;
  readonly workspace: string;
  readonly decided: OpenedInDiff;
}

/** The text that was allowed in advance, and the text that would run now. */
function RunnerChangeView({ call, change: { file, before }, workspace, decided }: RunnerChangeProps) {
  const files = useMemo(() => {
    const note = before === null ? 'What it ran before wasn’t kept. This is what it runs now.' : null;
    return listSheetFiles(call).map((each) => ({ ...each, note }));
  }, [call, before]);
  return <DiffView files={files} label={`What it runs now: ${file}`} workspace={workspace} decided={decided} />;
}

function ArgumentsView({ call, decided }: { readonly call: ApprovalCall; readonly decided: OpenedInDiff }) {
  const marked = new Set(
    call.originalArguments === null ? [] : findChangedNames(call.originalArguments, call.arguments),
  );
  return <ArgumentTree value={call.arguments} label={`Arguments of ${call.tool}`} marked={marked} {...decided} />;
}

/** Draws an effect when it comes near the screen, and keeps it: for a sheet of many calls. */
export function DrawnWhenNear({ always, children }: { readonly always: boolean; readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(always);
  useEffect(() => {
    const element = place.current;
    if (near || element === null) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: '600px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [near]);
  return near ? children : <div ref={place} className="gh-effect-place" />;
}
