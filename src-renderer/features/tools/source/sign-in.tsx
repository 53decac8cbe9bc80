import { ExternalLink, LogIn } from 'lucide-react';
import { useState } from 'react';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import type { SignInState } from '#contract/vocabulary/tools/sources.js';
import type { SourceView } from '#contract/window/tools/sources.js';
import { useAct } from '../../../bridge/use-act.js';
import { AnswerButton } from '../../../ui/form/answer-button.js';
import { Button } from '../../../ui/form/button.js';
import { useUnchanged } from '../../../ui/form/use-unchanged.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { CodeBlock } from '../../../ui/text/code-block.js';
import { Visible } from '../../../ui/text/visible.js';
import { Refusal } from '../../../ui/notice/refusal.js';

/** Signing in at a source: what it wants, the page that the browser opens, and the way out again. */
export function SignIn({ source: { name, enabled, signIn } }: { readonly source: SourceView }) {
  const { act, acting, problem } = useAct();
  const [told, setTold] = useState<string | null>(null);
  if (signIn === null || !enabled) return null;
  const begin = () => void act('sources.signIn', { name });
  const signOut = () =>
    void act('sources.signOut', { name }).then((answer) => setTold(answer.ok ? answer.value : null));
  const wrong = problem ?? signIn.problem;
  return (
    <div className="gh-sign-in">
      {signIn.kind === 'under-way' ? (
        <UnderWay name={name} signIn={signIn} onCancel={() => void act('sources.cancelSignIn', { name })} />
      ) : signIn.kind === 'signed-in' ? (
        <p className="gh-sign-in-line">
          <span>
            You are signed in by <Visible text={signIn.host ?? ''} />.
          </span>
          <Button size="small" disabled={acting} aria-label={`Sign out of ${name}`} onClick={signOut}>
            Sign out
          </Button>
        </p>
      ) : signIn.kind === 'wanted' || signIn.problem !== null ? (
        <p className="gh-sign-in-line">
          <span>It wants you to sign in, in your browser. Its page is shown first.</span>
          <Button
            size="small"
            tone="primary"
            icon={<LogIn aria-hidden />}
            disabled={acting}
            aria-label={`Sign in at ${name}…`}
            onClick={begin}
          >
            Sign in…
          </Button>
        </p>
      ) : null}
      <Refusal text={signIn.kind === 'under-way' ? null : wrong} />
      {told === null ? null : (
        <output className="secondary">
          <Visible text={told} />
        </output>
      )}
    </div>
  );
}

interface UnderWayProps {
  readonly name: string;
  readonly signIn: SignInState;
  readonly onCancel: () => void;
}

/** Opens the browser by the press here, and for the address that is shown here. */
function UnderWay({ name, signIn: { host, address, others, scope }, onCancel }: UnderWayProps) {
  const { act, acting, problem } = useAct();
  const [opened, setOpened] = useState(false);
  const stood = useUnchanged(`${name} ${address ?? ''}`);
  const cancel = (
    <Button size="small" onClick={onCancel}>
      Cancel
    </Button>
  );
  if (address === null || host === null)
    return (
      <p className="gh-sign-in-line">
        <output>Asking {name} where you sign in…</output>
        {cancel}
      </p>
    );
  const open = () =>
    void act('app.openLink', { url: address }).then(({ ok }) => {
      if (ok) setOpened(true);
    });
  return (
    <NoticeBox
      severity="info"
      title={`Sign in at ${host}`}
      news={false}
      actions={
        <>
          {cancel}
          <AnswerButton
            size="small"
            tone="primary"
            icon={<ExternalLink aria-hidden />}
            enabled={stood && !acting}
            onClick={open}
          >
            {opened ? 'Open again' : 'Open in browser'}
          </AnswerButton>
        </>
      }
    >
      <CodeBlock label="Address" text={toVisibleText(address)} maxHeight={120} />
      <p>
        Sign in only where you know <Visible text={host} />: {name} chose it.
        {others.length === 0 ? null : (
          <>
            {' '}
            Also asked: <Visible text={others.join(', ')} />.
          </>
        )}
        {scope === null ? null : (
          <>
            {' '}
            It asks for: <Visible text={scope} />.
          </>
        )}{' '}
        What it gives is kept in the system’s key store and sent to {name} alone.
      </p>
      {opened ? <output>Waiting for you to come back from the browser.</output> : null}
      <Refusal text={problem} />
    </NoticeBox>
  );
}
