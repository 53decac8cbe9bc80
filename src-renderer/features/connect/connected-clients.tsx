import { useEffect } from 'react';
import type { ConnectedClient } from '#contract/window/app-events.js';
import { useAct } from '../../bridge/use-act.js';
import { ask, useRequest } from '../../bridge/use-request.js';
import { Button } from '../../ui/form/button.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Select } from '../../ui/form/select.js';
import { type Access, agentName, rulesIn, withAccess } from './client-rules.js';

interface ConnectedClientsProps {
  readonly clients: readonly ConnectedClient[];
  readonly serving: boolean;
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const ACCESS = [
  { value: 'normal', label: 'As the tools say' },
  { value: 'ask', label: 'Ask for every call' },
  { value: 'blocked', label: 'Blocked' },
] as const;

/** Rules go by the name that a client can't change, where it has one. */
const ruleName = ({ agent, name }: ConnectedClient): string => agent ?? agentName(name);

/** Who is connected, what each may do, and those that are kept out though they are not here. */
export function ConnectedClients({ clients, serving }: ConnectedClientsProps) {
  const settings = useRequest('settings.get', {});
  const { act, problem, setProblem } = useAct();
  const rules = rulesIn(settings.value);
  const here = new Set(clients.map(ruleName));
  const agents = useRequest('agents.list', {});
  const known = new Set((agents.value ?? []).filter(({ revoked }) => !revoked).map(({ name }) => name));
  const { reload } = settings;
  const { reload: reloadAgents } = agents;
  // An agent that comes may be one with a rule, and rules can be changed elsewhere.
  useEffect(reload, [clients.length, reload]);
  useEffect(reloadAgents, [clients.length, reloadAgents]);

  const setAccess = (name: string, access: Access) => {
    const value = JSON.stringify(withAccess(rules, name, access));
    void act('settings.set', { key: 'gateway.clients', value }).then((answer) => {
      if (answer.ok) settings.set(answer.value);
    });
  };
  const access = (name: string) => (
    <Select
      label={`What ${name} may do`}
      options={ACCESS}
      value={rules.find((rule) => rule.name === name)?.access ?? 'normal'}
      onChange={(next: Access) => setAccess(name, next)}
    />
  );
  const absent = rules.filter(({ name }) => !here.has(name));
  return (
    <section aria-label="Connected agents" className="gh-connect-clients">
      <h3>Connected agents</h3>
      {problem === null ? null : (
        <NoticeBox severity="error" title="That was not kept" onDismiss={() => setProblem(null)}>
          {problem}
        </NoticeBox>
      )}
      {clients.length === 0 ? (
        <p className="secondary">
          {serving ? 'None now.' : 'None. The gateway is off; a command can connect without it.'}
        </p>
      ) : null}
      <ul>
        {clients.map((client) => (
          <li key={client.sessionId}>
            <div>
              <strong>{client.name}</strong>
              {client.agent === null ? null : (
                <span>
                  as {client.agent}
                  {known.has(client.agent) ? '' : ' (new: has no token)'}
                </span>
              )}
              <span className="secondary">
                {client.transport === 'stdio' ? 'by a command' : 'over HTTP'}, since {time.format(client.since)},{' '}
                {client.calls === 1 ? '1 call' : `${client.calls} calls`}
              </span>
            </div>
            {access(ruleName(client))}
            <Button
              size="small"
              aria-label={`Disconnect ${client.name}`}
              onClick={() => void ask('gateway.disconnect', { sessionId: client.sessionId })}
            >
              Disconnect
            </Button>
          </li>
        ))}
        {absent.map(({ name }) => (
          <li key={`rule ${name}`}>
            <div>
              <strong>{name}</strong>
              <span className="secondary">not connected</span>
            </div>
            {access(name)}
          </li>
        ))}
      </ul>
      <p className="secondary">
        Disconnecting cancels what an agent waits for; it may come back. Blocking denies every call of it until you
        change that. A client without a token or --agent says its own name: to keep everybody out, change your token and
        switch the gateway off.
      </p>
    </section>
  );
}
