import { useEffect, useMemo, useRef, useState } from 'react';
import type { ApprovalCall } from '#contract/window/approvals.js';
import type { RunnerChange } from '#contract/vocabulary/effects.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { DiffView } from '../../../calls/diff/diff-view.js';
import { changedNames } from '../../../calls/json/json-rows.js';
import { JsonTree } from '../../../calls/json/json-tree.js';
import { Visible } from '../../../ui/text/visible.js';
import { CommandView } from './command-view.js';

export function EffectView({ call, workspace }: { readonly call: ApprovalCall; readonly workspace: string }) {
  const { effect } = call;
  switch (effect.kind) {
    case 'files':
      return <DiffView files={effect.files} label={`What changes: ${call.summary}`} workspace={workspace} />;
    case 'command':
      return (
        <>
          <CommandView
            command={effect.command}
            findings={effect.findings}
            rule={effect.rule ?? null}
            mayBeShared={effect.mayBeShared ?? null}
          />
          {call.runnerChange === null ? null : <RunnerChangeView change={call.runnerChange} workspace={workspace} />}
        </>
      );
    case 'arguments':
      return <ArgumentsView call={call} />;
    case 'problem':
      return (
        <>
          <NoticeBox severity="warning" title="This call will fail">
            <Visible text={effect.message} />
          </NoticeBox>
          <ArgumentsView call={call} />
        </>
      );
  }
}

/** What a yes in advance was given for, and what it would run now. */
function RunnerChangeView({ change, workspace }: { readonly change: RunnerChange; readonly workspace: string }) {
  const { file, before, after } = change;
  const note = before === null ? 'What it ran before wasn’t kept. This is what it runs now.' : null;
  const shown = useMemo(
    () => [{ path: file, change: before === null ? 'created' : 'modified', before, after, note } as const],
    [file, before, after, note],
  );
  return <DiffView files={shown} label={`What it runs now: ${file}`} workspace={workspace} />;
}

function ArgumentsView({ call }: { readonly call: ApprovalCall }) {
  const marked = new Set(call.originalArguments === null ? [] : changedNames(call.originalArguments, call.arguments));
  return <JsonTree value={call.arguments} label={`Arguments of ${call.tool}`} marked={marked} />;
}

/** In a sheet of many calls, each effect is drawn when it comes near the screen, and stays. */
export function WhenNear({ always, children }: { readonly always: boolean; readonly children: React.ReactNode }) {
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
