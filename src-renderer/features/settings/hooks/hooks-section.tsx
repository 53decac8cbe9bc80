import { useEffect } from 'react';
import { type RefusedHook, describeConsequence } from '#contract/window/hooks.js';
import { onCalls } from '../../../store/app.js';
import { useCurrent } from '../../../store/use-current.js';
import { Fold } from '../../../ui/layout/fold.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { CodeBlock, Mono } from '../../../ui/text/code-block.js';
import { Visible } from '../../../ui/text/visible.js';
import { HookSection } from './hook-section.js';
import './hooks.css';

/** The least time between two readings, as their runs are counted. */
const READ_INTERVAL_MS = 1000;

/** The person's programs around calls: what they are, what they did, and what is wrong with them. */
export function HooksSection() {
  const { value: view, error, reload, set } = useCurrent('hooks.list', {});
  useEffect(() => onCalls(READ_INTERVAL_MS, reload), [reload]);
  return (
    <section className="gh-settings-group" id="settings-hooks" data-key="hooks" aria-labelledby="settings-hooks-title">
      <h2 id="settings-hooks-title">Hooks</h2>
      <p className="secondary">
        Programs of yours that judge calls before they run, or are told of them afterwards. They run in the sandbox
        without network, can read the open folder, and can only ask or deny.
      </p>
      {error === null ? null : <Problem title="The hooks can’t be loaded" error={error} onRetry={reload} />}
      {view === null && error === null ? <Skeleton label="Loading the hooks" lines={2} /> : null}
      {view?.refused.map((hook) => (
        <RefusedHookBox key={hook.name} hook={hook} />
      ))}
      {view?.hooks.map((hook) => (
        <HookSection key={hook.name} hook={hook} onChanged={set} />
      ))}
      {view === null ? null : (
        <div className="gh-hooks-how">
          {view.hooks.length + view.refused.length > 0 ? null : <p>Hooks that you add appear here.</p>}
          <Fold title="Add a hook">
            <p className="secondary">
              Add this to your settings file. Relative paths begin in <Mono>{view.folder}</Mono>.
            </p>
            <CodeBlock text={EXAMPLE} label="A hook" />
            <p className="secondary">
              The program reads the call as one line of JSON. Before a call it can write{' '}
              <Mono>{'{"decision":"deny","reason":"…"}'}</Mono>, with allow, ask or deny; to allow, it can write
              nothing.
            </p>
          </Fold>
        </div>
      )}
    </section>
  );
}

function RefusedHookBox({ hook }: { readonly hook: RefusedHook }) {
  return (
    <NoticeBox severity="error" news={false} title={`The hook “${hook.name}” can’t be used`}>
      <Mono>{hook.file}</Mono>
      {hook.line === null ? '' : `, line ${hook.line}`}: <Visible text={hook.reason} /> {describeConsequence(hook)}
    </NoticeBox>
  );
}

const EXAMPLE = `[[hooks]]
name = "no-friday"
when = "before"            # or "after"
tools = ["write_file"]     # names, ids or groups; "*" means all
command = ["node", "no-friday.js"]
timeout_seconds = 5
on_failure = "deny"        # or "ignore"
`;
