import type { ConnectedClient } from '../../../src-preload/contract/app-events.js';
import { ask } from '../../bridge/use-request.js';
import { Button } from '../../ui/button.js';

interface ConnectedClientsProps {
  readonly clients: readonly ConnectedClient[];
  readonly serving: boolean;
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

export function ConnectedClients({ clients, serving }: ConnectedClientsProps) {
  return (
    <section aria-label="Connected agents" className="gh-connect-clients">
      <h3>Connected agents</h3>
      {clients.length === 0 ? (
        <p className="secondary">{serving ? 'None now.' : 'None: the gateway is off.'}</p>
      ) : (
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
              <Button
                size="small"
                aria-label={`Disconnect ${client.name}`}
                onClick={() => void ask('gateway.disconnect', { sessionId: client.sessionId })}
              >
                Disconnect
              </Button>
            </li>
          ))}
        </ul>
      )}
      <p className="secondary">
        Disconnecting cancels what an agent waits for. It may come back; to keep everybody out, change the token or
        switch the gateway off.
      </p>
    </section>
  );
}
