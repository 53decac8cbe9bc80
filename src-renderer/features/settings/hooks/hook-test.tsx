import { useState } from 'react';
import { describeHookRun } from '#contract/vocabulary/hooks.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { HookTestResult, HookView } from '#contract/window/hooks.js';
import { useAct } from '../../../bridge/use-act.js';
import { useRequest } from '../../../bridge/use-request.js';
import { Button } from '../../../ui/form/button.js';
import { Select } from '../../../ui/form/select.js';
import { Fold } from '../../../ui/layout/fold.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { CodeBlock } from '../../../ui/text/code-block.js';
import { formatDuration, formatWhen } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { Refusal } from '../../../ui/notice/refusal.js';

/** So many of the last calls are offered. */
const OFFERED = 30;

/** Runs it with a call that is over, and that call not. */
export function TryHook({ hook }: { readonly hook: HookView }) {
  const { value: page } = useRequest('calls.list', { limit: OFFERED });
  const [chosen, setChosen] = useState('');
  const [tried, setTried] = useState<HookTestResult | null>(null);
  const { act, acting, problem } = useAct();
  const calls = (page?.calls ?? []).filter(({ outcome }) => outcome !== null);
  const callId = chosen === '' ? (calls[0]?.callId ?? '') : chosen;
  if (page === null) return null;
  if (calls.length === 0) return <p className="secondary">There is no call in the history to try it with yet.</p>;
  const run = () =>
    void act('hooks.try', { name: hook.name, callId }).then((answer) => setTried(answer.ok ? answer.value : null));
  return (
    <div className="gh-hook-try">
      <div className="gh-hook-choice">
        <Select
          label="With this call"
          labelShown
          value={callId}
          onChange={setChosen}
          options={calls.map((call) => ({
            value: call.callId,
            label: `${formatWhen(call.startedAt)} · ${toVisibleLine(call.summary, 60)}`,
          }))}
        />
        <Button disabled={acting} onClick={run}>
          Run it
        </Button>
      </div>
      <p className="secondary">The call doesn’t run again, and nothing is recorded.</p>
      <div aria-live="polite">{acting ? 'Running…' : tried === null ? null : <HookTestView tried={tried} />}</div>
      <Refusal text={problem} />
    </div>
  );
}

function HookTestView({ tried: { run, given, said } }: { readonly tried: HookTestResult }) {
  return (
    <NoticeBox severity={'failed' in run ? 'error' : 'info'} title={`It took ${formatDuration(run.ms)}`} news={false}>
      <p>
        <Visible text={describeHookRun(run)} />
      </p>
      <Fold title="What it was given">
        <CodeBlock text={given} label="What it was given" />
      </Fold>
      {said === '' ? null : (
        <Fold title="What it said on standard error">
          <CodeBlock text={said} label="What it said" />
        </Fold>
      )}
    </NoticeBox>
  );
}
