import { describeHookRun } from '#contract/vocabulary/hooks.js';
import type { HookFile, UnpinnedHook, HooksView, HookView } from '#contract/window/hooks.js';
import { useAct } from '../../../bridge/use-act.js';
import { openCall } from '../../../store/app.js';
import { Button } from '../../../ui/form/button.js';
import { Fold } from '../../../ui/layout/fold.js';
import { Facts } from '../../../ui/layout/page.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { Mono } from '../../../ui/text/code-block.js';
import { counted, formatDuration } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { When } from '../../../ui/text/when.js';
import { TryHook } from './hook-test.js';
import { Refusal } from '../../../ui/notice/refusal.js';

interface HookSectionProps {
  readonly hook: HookView;
  readonly onChanged: (view: HooksView) => void;
}

/** A hook: when it runs and for what, its files, its last runs, and a try. */
export function HookSection({ hook, onChanged }: HookSectionProps) {
  const title = `hook-${hook.name.replaceAll(' ', '-')}`;
  return (
    <section className="gh-hook" aria-labelledby={title}>
      <h3 id={title}>{hook.name}</h3>
      <Facts
        facts={[
          ['Runs', hook.when === 'before' ? 'Before calls' : 'After calls'],
          ['Tools', hook.tools.includes('*') ? 'All' : <Visible key="tools" text={hook.tools.join(', ')} />],
          ['Command', <Mono key="command">{hook.command.map(quoteWord).join(' ')}</Mono>],
          ['Time limit', formatDuration(hook.timeoutSeconds * 1000)],
          ...(hook.onFailure === null ? [] : [['When it fails', FAILURE_WORDS[hook.onFailure]] as const]),
          ['Lately', describeLastRuns(hook)],
        ]}
      />
      {hook.files.map((file) => (
        <ChangedFile key={file.path} name={hook.name} file={file} onChanged={onChanged} />
      ))}
      {hook.notPinned === null ? null : (
        <UnpinnedWarning name={hook.name} notPinned={hook.notPinned} onChanged={onChanged} />
      )}
      {hook.runs.length === 0 ? null : (
        <Fold
          title={
            <>
              Last runs<span className="sr-only"> of {hook.name}</span>
            </>
          }
        >
          <Runs hook={hook} />
        </Fold>
      )}
      <Fold
        title={
          <>
            Try<span className="sr-only"> {hook.name}</span> with a call
          </>
        }
      >
        <TryHook hook={hook} />
      </Fold>
    </section>
  );
}

/** So that it can be told where a word ends. */
const quoteWord = (word: string): string => (/^[^\s"'$`\\;&|<>(){}*?]+$/u.test(word) ? word : JSON.stringify(word));

const FAILURE_WORDS = { deny: 'The call is denied', ignore: 'The call goes on' } as const;

function describeLastRuns({ ran, failed }: HookView): string {
  if (ran === 0) return 'It has not run yet';
  return failed === 0 ? counted(ran, 'run') : `${counted(ran, 'run')}, ${failed} failed`;
}

/** A file that tools may change: a change of it counts when the person says so. */
function ChangedFile({
  name,
  file,
  onChanged,
}: { readonly name: string; readonly file: HookFile } & Pick<HookSectionProps, 'onChanged'>) {
  const { act, acting, problem } = useAct();
  const { path, state, digest } = file;
  if (state !== 'changed' || digest === null) return null;
  const accept = () =>
    void act('hooks.acceptFile', { name, path, digest }).then((answer) => {
      if (answer.ok) onChanged(answer.value);
    });
  return (
    <NoticeBox
      severity="warning"
      title="Its file changed"
      news={false}
      actions={
        <Button size="small" aria-label={`Accept this file: ${path}, of ${name}`} disabled={acting} onClick={accept}>
          Accept this file
        </Button>
      }
    >
      <Mono>{path}</Mono> lies in an open folder, where tools can change it. Until you accept it, the hook doesn’t run
      and its calls ask. <Refusal inline text={problem} />
    </NoticeBox>
  );
}

/** A warning that its program may change without any of the pinned files: said, and where tools could do it, asked. */
function UnpinnedWarning({
  name,
  notPinned: { reasons, asks },
  onChanged,
}: { readonly name: string; readonly notPinned: UnpinnedHook } & Pick<HookSectionProps, 'onChanged'>) {
  const { act, acting, problem } = useAct();
  const sentences = <Visible text={reasons.join(' ')} />;
  if (asks === null) return <p className="secondary">What it runs may change without being asked about. {sentences}</p>;
  const accept = () =>
    void act('hooks.acceptNotPinned', { name, digest: asks }).then((answer) => {
      if (answer.ok) onChanged(answer.value);
    });
  return (
    <NoticeBox
      severity="warning"
      title="Tools may change what it runs"
      news={false}
      actions={
        <Button size="small" aria-label={`Run it anyway: ${name}`} disabled={acting} onClick={accept}>
          Run it anyway
        </Button>
      }
    >
      {sentences} Move it out of your open folders, or name the file as a word of the command: then a change of it asks.
      Until then the hook doesn’t run and its calls ask. <Refusal inline text={problem} />
    </NoticeBox>
  );
}

function Runs({ hook }: { readonly hook: HookView }) {
  return (
    <ol className="gh-hook-runs" aria-label={`Last runs of ${hook.name}`}>
      {hook.runs.map(({ at, callId, tool, run }) => (
        <li key={`${at} ${callId}`} data-failed={'failed' in run}>
          <span className="gh-hook-said">
            <Visible text={describeHookRun(run)} />
          </span>
          <Button size="small" tone="quiet" onClick={() => openCall(callId)}>
            <Visible text={tool} />
          </Button>
          <span className="secondary">{formatDuration(run.ms)}</span>
          <When at={at} className="secondary" />
        </li>
      ))}
    </ol>
  );
}
