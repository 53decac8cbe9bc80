import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import type { ConnectedClient } from '#contract/window/app-events.js';
import { ask } from '../../bridge/use-request.js';
import { ForgetGiven } from '../../calls/given/forget-given.js';
import { PathActions } from '../../calls/path/path-actions.js';
import { PauseButton, type PauseButtonProps } from '../../calls/pause/pause-button.js';
import { openCall, useStatus } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Select } from '../../ui/form/select.js';
import { Mono } from '../../ui/text/code-block.js';
import { counted, formatWhen } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';
import { When } from '../../ui/text/when.js';
import { AgentFolders } from './agent-folders.js';
import type { AgentRow, AgentStanding } from './agent-rows.js';
import type { Access } from './client-rules.js';

const ACCESS = [
  { value: 'normal', label: 'Same as other agents' },
  { value: 'ask', label: 'Ask for every call' },
  { value: 'blocked', label: 'Blocked' },
] as const;

const ASKING_OPTIONS = [
  { value: 'all', label: 'As all agents' },
  { value: 'strict', label: 'Strict: asks before every change and command' },
  { value: 'careful', label: 'Careful: sandboxed commands run, edits ask' },
  { value: 'balanced', label: 'Balanced: sandboxed commands and edits run' },
] as const;
const OWN = { value: 'own', label: 'Its own settings, in the config file' } as const;

const STANDING: Readonly<Record<AgentStanding, string | null>> = {
  token: null,
  revoked: 'Token revoked',
  new: 'New: has no token and no rules',
  unnamed: 'Names itself',
};

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export interface AgentCardProps {
  readonly row: AgentRow;
  readonly access: Access;
  readonly onAccess: (access: Access) => void;
  readonly onAsking: (asking: AskingPreset | null) => void;
  /** The folders that it is limited to; null for none. */
  readonly folders: readonly string[] | null;
  readonly onFolders: (folders: readonly string[] | null) => void;
  readonly onRevoke: () => void;
}

/** An agent: who it is, what it is doing, how it is asked, and the ways to end that. */
export function AgentCard({ row, access, onAccess, onAsking, folders, onFolders, onRevoke }: AgentCardProps) {
  const { name, standing, sessions, seen, made, asking } = row;
  const said = STANDING[standing];
  const who = findPausable(row);
  return (
    <li className="gh-agent" aria-label={name} data-agent={name}>
      <div className="gh-agent-head">
        <h2>
          <Visible text={name} />
        </h2>
        <span className={sessions.length > 0 ? 'gh-agent-here' : 'secondary'}>
          {sessions.length > 0 ? 'Connected' : 'Not connected'}
        </span>
        {said === null ? null : <span className="gh-agent-badge">{said}</span>}
        {standing === 'token' && made !== null ? (
          <span className="secondary">Token since {day.format(made)}</span>
        ) : null}
      </div>
      <AgentActivity row={row} />
      {sessions.length > 0 ? (
        <ul className="gh-agent-sessions">
          {sessions.map((session) => (
            <Session key={session.sessionId} session={session} />
          ))}
        </ul>
      ) : seen === null ? null : (
        <p className="secondary">
          Last here {formatWhen(seen.at)} as <Visible text={seen.client ?? 'an unknown client'} /> in{' '}
          <Mono>{seen.folder}</Mono>
        </p>
      )}
      <TaintedFolders row={row} />
      <div className="gh-agents-row">
        <Select label={`What ${name} may do`} options={ACCESS} value={access} onChange={onAccess} />
        {standing === 'token' && access === 'normal' ? (
          <Select
            label={`How ${name} is asked`}
            labelShown
            options={asking === 'own' ? [...ASKING_OPTIONS, OWN] : ASKING_OPTIONS}
            value={asking ?? 'all'}
            onChange={(value) => {
              if (value !== 'own') onAsking(value === 'all' ? null : value);
            }}
          />
        ) : null}
        {(standing === 'token' || standing === 'new') && access !== 'blocked' ? (
          <AgentFolders name={name} folders={folders} onChange={onFolders} />
        ) : null}
        {who === null ? null : <PauseButton who={who} name={name} />}
        {standing === 'token' ? (
          <Button size="small" aria-label={`Revoke token of ${name}`} onClick={onRevoke}>
            Revoke token
          </Button>
        ) : null}
      </div>
    </li>
  );
}

/**
 * Finds whom to pause: the agent by its own name, or by its client's; nobody where neither was ever heard, or who is
 * shut out.
 */
function findPausable({ name, standing, sessions, seen }: AgentRow): PauseButtonProps['who'] | null {
  if (standing === 'revoked') return null;
  if (standing !== 'unnamed') return { door: 'mcp', agent: name, client: null };
  const client = sessions[0]?.name ?? seen?.client ?? null;
  return client === null ? null : { door: 'mcp', agent: null, client };
}

/**
 * Texts that it has read and did not get from the person, in each folder: until they are forgotten, calls that send
 * data out ask.
 */
function TaintedFolders({ row: { name, standing, sessions } }: { readonly row: AgentRow }) {
  const { given } = useStatus();
  const to = standing === 'unnamed' ? sessions.map(({ sessionId }) => `connection:${sessionId}`) : [`agent:${name}`];
  const here = given.filter((each) => to.includes(each.to));
  if (here.length === 0) return null;
  return (
    <ul className="gh-agent-sessions" aria-label={`What ${name} has read`}>
      {here.map((each) => (
        <li key={`${each.to} ${each.workspace}`}>
          <span>
            Has read <Visible text={each.words} />
            {each.privates === null ? null : (
              <>
                , private: <Visible text={each.privates} />
              </>
            )}
            <span className="secondary">
              {' '}
              in <Mono>{each.workspace}</Mono>. What sends data out asks.
            </span>
          </span>
          <ForgetGiven to={each.to} workspace={each.workspace} of={`${each.words}, in ${each.workspace}`} />
        </li>
      ))}
    </ul>
  );
}

function AgentActivity({ row: { running, waiting, seen } }: { readonly row: AgentRow }) {
  const now = [...(running === 0 ? [] : [`${running} running`]), ...(waiting === 0 ? [] : [`${waiting} waiting`])].join(
    ', ',
  );
  return (
    <p className="gh-agent-doing">
      {now === '' ? null : <strong>{now}</strong>}
      {seen === null ? (
        now === '' ? (
          <span className="secondary">No calls yet</span>
        ) : null
      ) : (
        <span>
          Last call:{' '}
          <button type="button" className="gh-agent-call" onClick={() => openCall(seen.callId)}>
            <Visible text={seen.summary === '' ? seen.tool : seen.summary} />
          </button>{' '}
          <When at={seen.at} className="secondary" />
        </span>
      )}
    </p>
  );
}

function Session({
  session: { sessionId, name, folder, transport, since, calls },
}: {
  readonly session: ConnectedClient;
}) {
  return (
    <li>
      <span>
        <Visible text={name} />
        <span className="secondary">
          {' '}
          {transport === 'stdio' ? 'stdio' : 'HTTP'}, since {formatWhen(since)}, {counted(calls, 'call')}
          {folder === '' ? null : (
            <>
              , in <Mono>{folder}</Mono> <PathActions path={folder} workspace={folder} leadingThere="." />
            </>
          )}
        </span>
      </span>
      <Button
        size="small"
        aria-label={`Disconnect ${name}`}
        onClick={() => void ask('gateway.disconnect', { sessionId })}
      >
        Disconnect
      </Button>
    </li>
  );
}
