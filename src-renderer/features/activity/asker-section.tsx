import { useId } from 'react';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { CallCard } from '../../calls/card/call-card.js';
import { CallLine } from '../../calls/card/call-line.js';
import { PathActions } from '../../calls/path/path-actions.js';
import { PauseButton, useIsPaused } from '../../calls/pause/pause-button.js';
import { goTo, showSheet } from '../../store/app.js';
import { goToConversation, useConversationTitle } from '../../store/conversations.js';
import { Button } from '../../ui/form/button.js';
import { Fold } from '../../ui/layout/fold.js';
import { counted, formatCount, formatFull, formatWhen } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';
import type { AskerGroup, AskerSession } from './asker-groups.js';
import { SessionCalls } from './session-calls.js';

/** So many calls of each kind are listed of a session; how many more there are is said. */
const LISTED = 8;

export interface AskerSectionProps {
  readonly asking: AskerGroup;
  /** The one folder that the page shows; none where it shows all. */
  readonly here: string | undefined;
  /** Whether it can be paused: an agent that is long gone can't. */
  readonly canPause?: boolean;
}

/** An agent and its sessions. */
export function AskerSection({ asking, here, canPause = true }: AskerSectionProps) {
  const title = useId();
  const { name, agent, client, sessions } = asking;
  const isPaused = useIsPaused(asking);
  return (
    <section className="gh-who" aria-labelledby={title}>
      <header className="gh-who-head">
        <h2 id={title}>
          <Visible text={name} />
        </h2>
        {agent === null || client === null ? null : (
          <span className="secondary">
            calls itself <Visible text={client} />
          </span>
        )}
        {canPause ? <PauseButton who={asking} name={name} /> : null}
      </header>
      {isPaused ? (
        <p className="gh-who-paused">Paused. Its calls wait until you resume it; what already runs goes on.</p>
      ) : null}
      {sessions.map((session) => (
        <SessionBlock key={`${session.door} ${session.session}`} session={session} here={here} isPaused={isPaused} />
      ))}
    </section>
  );
}

interface SessionBlockProps {
  readonly session: AskerSession;
  readonly here: string | undefined;
  readonly isPaused: boolean;
}

function SessionBlock({ session, here, isPaused }: SessionBlockProps) {
  const { running, waiting, queued, done, counts, connected, workspace, firstAt, lastAt } = session;
  const folder = workspace ?? [...running, ...waiting, ...queued, ...done][0]?.workspace ?? null;
  return (
    <div className="gh-session">
      <p className="gh-session-head secondary">
        <time dateTime={new Date(firstAt).toISOString()} title={formatFull(firstAt)}>
          {formatWhen(firstAt)}
        </time>
        {session.door === 'conversation' && folder !== null ? (
          <ConversationName folder={folder} id={session.session} />
        ) : null}
        {connected ? <span className="gh-session-on">connected</span> : null}
        {workspace === null || workspace === '' ? null : (
          <>
            <span className="gh-session-folder mono">
              <bdi>
                <Visible text={workspace} />
              </bdi>
            </span>
            <PathActions path={workspace} workspace={workspace} leadingThere="." />
          </>
        )}
        <span>{describeCounts(session)}</span>
      </p>
      {waiting.length === 0 ? null : <WaitingCalls calls={waiting} isPaused={isPaused} />}
      {running.slice(0, LISTED).map((call) => (
        <CallCard key={call.callId} call={call} />
      ))}
      <MoreCalls calls={running} word="running" />
      {queued.length === 0 ? null : (
        <ul className="gh-lines" aria-label="Queued">
          {queued.slice(0, LISTED).map((call) => (
            <CallLine key={call.callId} call={call} />
          ))}
        </ul>
      )}
      <MoreCalls calls={queued} word="queued" />
      {done.length === 0 ? null : (
        <ul className="gh-lines" aria-label="Latest calls">
          {done.map((call) => (
            <CallLine key={call.callId} call={call} />
          ))}
        </ul>
      )}
      {counts === null ? null : (
        <Fold title={`All calls (${formatCount(counts.calls)})`}>
          <SessionCalls session={session.session} door={session.door} here={here} from={firstAt} to={lastAt} />
        </Fold>
      )}
    </div>
  );
}

/** The conversation's title, and the way there. */
function ConversationName({ folder, id }: { readonly folder: string; readonly id: string }) {
  const title = useConversationTitle(folder, id);
  if (title === null) return null;
  return (
    <button type="button" className="gh-link-button" onClick={() => goToConversation(folder, id)}>
      <Visible text={title} />
    </button>
  );
}

function WaitingCalls({ calls, isPaused }: { readonly calls: readonly CallSummary[]; readonly isPaused: boolean }) {
  const [first] = calls;
  if (first === undefined) return null;
  return (
    <>
      <ul className="gh-lines" aria-label="Waiting for you">
        {calls.slice(0, LISTED).map((call) => (
          <CallLine key={call.callId} call={call} />
        ))}
      </ul>
      <MoreCalls calls={calls} word="waiting" />
      <div>
        {isPaused ? null : first.awaiting === 'result' ? (
          <Button tone="primary" size="small" onClick={() => goTo('conversation')}>
            Give the result
          </Button>
        ) : (
          <Button tone="primary" size="small" onClick={() => showSheet(first.batchId)}>
            Review {counted(calls.length, 'call')}
          </Button>
        )}
      </div>
    </>
  );
}

function MoreCalls({ calls, word }: { readonly calls: readonly unknown[]; readonly word: string }) {
  if (calls.length <= LISTED) return null;
  return (
    <p className="secondary">
      and {calls.length - LISTED} more {word}
    </p>
  );
}

/** Words a session's counts in a line. */
function describeCounts({ counts }: AskerSession): string {
  if (counts === null) return 'No calls yet';
  const parts = [
    counts.read === 0 ? null : `read ${counted(counts.read, 'time')}`,
    counts.files === 0 ? null : `changed ${counted(counts.files, 'file')}`,
    counts.ran === 0 ? null : `ran ${counted(counts.ran, 'command')}`,
    counts.elsewhere === 0 ? null : `${counted(counts.elsewhere, 'call')} to other servers`,
    counts.denied === 0 ? null : `${counts.denied} denied`,
    counts.failed === 0 ? null : `${counts.failed} failed`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? counted(counts.calls, 'call') : parts.join(' · ');
}
