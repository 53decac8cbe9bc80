import { useEffect, useState } from 'react';
import type { ConnectedClient } from '../../../src-preload/contract/app-events.js';
import { ask, useRequest } from '../../bridge/use-request.js';
import { Button } from '../../ui/button.js';
import { NoticeBox } from '../../ui/notice-box.js';
import { Select } from '../../ui/select.js';
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

/** Who is connected, what each may do, and those that are kept out though they are not here. */
export function ConnectedClients({ clients, serving }: ConnectedClientsProps) {
  const settings = useRequest('settings.get', {});
  const [problem, setProblem] = useState<string | null>(null);
  const rules = rulesIn(settings.value);
  const here = new Set(clients.map(({ name }) => agentName(name)));
  const { reload } = settings;
  // An agent that comes may be one with a rule, and rules can be changed elsewhere.
  useEffect(reload, [clients.length, reload]);

  const setAccess = (name: string, access: Access) => {
    const value = JSON.stringify(withAccess(rules, name, access));
    void ask('settings.set', { key: 'gateway.clients', value }).then((answer) => {
      setProblem(answer.ok ? null : answer.error.message);
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
      {clients.length === 0 ? <p className="secondary">{serving ? 'None now.' : 'None: the gateway is off.'}</p> : null}
      <ul>
        {clients.map((client) => (
          <li key={client.sessionId}>
            <div>
              <strong>{client.name}</strong>
              <span className="secondary">
                {client.transport === 'stdio' ? 'by a command' : 'over HTTP'}, since {time.format(client.since)},{' '}
                {client.calls === 1 ? '1 call' : `${client.calls} calls`}
              </span>
            </div>
            {access(agentName(client.name))}
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
        change that. An agent says its own name: to keep everybody out, change the token or switch the gateway off.
      </p>
    </section>
  );
}
