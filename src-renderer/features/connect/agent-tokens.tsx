import { useState } from 'react';
import type { AgentView } from '#contract/window/agents.js';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { Button } from '../../ui/form/button.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { TextField } from '../../ui/form/text-field.js';

/** A token that was just made: this page alone has it, until it is left. */
export interface MadeToken {
  readonly name: string;
  readonly token: string;
}

interface AgentTokensProps {
  readonly made: MadeToken | null;
  readonly onMade: (made: MadeToken | null) => void;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Each agent has a token of its own: what it does is known by it, and ends with it. */
export function AgentTokens({ made, onMade }: AgentTokensProps) {
  const agents = useRequest('agents.list', {});
  const [adding, setAdding] = useState(false);
  const { act, problem, setProblem } = useAct();
  const revoke = (name: string) => {
    void act('agents.revoke', { name }).then(() => {
      if (made?.name === name) onMade(null);
      agents.reload();
    });
  };
  const onCreated = (created: MadeToken) => {
    onMade(created);
    setAdding(false);
    agents.reload();
  };
  return (
    <section aria-label="Agents with a token" className="gh-connect-clients">
      <h3>Agents with a token</h3>
      {problem === null ? null : (
        <NoticeBox severity="error" title="That was not kept" onDismiss={() => setProblem(null)}>
          {problem}
        </NoticeBox>
      )}
      <AgentList agents={agents.value ?? []} onRevoke={revoke} />
      {made === null ? null : <Made made={made} />}
      {adding ? (
        <NewAgent onCreated={onCreated} onCancel={() => setAdding(false)} />
      ) : (
        <div className="gh-connect-actions">
          <Button size="small" onClick={() => setAdding(true)}>
            New agent…
          </Button>
        </div>
      )}
      <p className="secondary">
        Over HTTP an agent sees only its own calls with its token. Revoking it ends what the agent has open, and what of
        it waits or runs. A pipe names itself with --agent; one that has no token is shown as new.
      </p>
    </section>
  );
}

function AgentList({
  agents,
  onRevoke,
}: {
  readonly agents: readonly AgentView[];
  readonly onRevoke: (name: string) => void;
}) {
  if (agents.length === 0) return <p className="secondary">None yet.</p>;
  return (
    <ul>
      {agents.map(({ name, made, revoked }) => (
        <li key={name}>
          <div>
            <strong>{name}</strong>
            <span className="secondary">{revoked ? 'revoked' : `since ${day.format(made)}`}</span>
          </div>
          {revoked ? null : (
            <Button size="small" aria-label={`Revoke token of ${name}`} onClick={() => onRevoke(name)}>
              Revoke token
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Made({ made }: { readonly made: MadeToken }) {
  return (
    <div className="gh-connect-actions">
      <TextField
        label="Token"
        mono
        readOnly
        value={made.token}
        hint={`Of ${made.name}. It is shown this once: only its hash is kept.`}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={made.token} label="Copy token" />
    </div>
  );
}

function NewAgent({
  onCreated,
  onCancel,
}: {
  readonly onCreated: (made: MadeToken) => void;
  readonly onCancel: () => void;
}) {
  const [name, setName] = useState('');
  const { act, problem } = useAct();
  const create = () => {
    void act('agents.create', { name }).then((answer) => {
      if (answer.ok) onCreated({ name, token: answer.value.token });
    });
  };
  return (
    <form
      className="gh-connect-actions"
      onSubmit={(event) => {
        event.preventDefault();
        create();
      }}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={32}
        hint="a–z, 0–9 and “-”"
        error={problem}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button size="small" type="submit" disabled={name === ''}>
        Create
      </Button>
      <Button size="small" tone="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </form>
  );
}
