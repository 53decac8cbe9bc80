import { useEffect, useState } from 'react';
import type { ClientId } from '#contract/window/clients.js';
import { useRequest } from '../../../bridge/use-request.js';
import { useApp } from '../../../store/app.js';
import { Fold } from '../../../ui/layout/fold.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { ClientRow } from './client-row.js';
import './connect.css';

/** The programs on this computer that can be given tools: connected by a press, shown before and undone after. */
export function ConnectSection({ onConnected }: { readonly onConnected: () => void }) {
  const { value: clients, error, reload } = useRequest('clients.list', {});
  const shown = useApp(({ app }) => app.workspace?.path);
  // What is set for one folder is shown of the one that is shown.
  useEffect(reload, [shown, reload]);
  const [open, setOpen] = useState<ClientId | null>(null);
  const row = (each: NonNullable<typeof clients>[number]) => (
    <ClientRow
      key={each.id}
      client={each}
      open={open === each.id}
      onOpen={(is) => setOpen(is ? each.id : null)}
      onChanged={() => {
        reload();
        onConnected();
      }}
    />
  );
  const here = clients?.filter(({ installed }) => installed) ?? [];
  const absent = clients?.filter(({ installed }) => !installed) ?? [];
  return (
    <section className="gh-agents-part" aria-labelledby="connect-title" id="agents-connect">
      <h2 id="connect-title">Connect an agent</h2>
      <p className="secondary">
        Gatehouse changes the agent’s own settings, which are for every project of yours, or for this folder only where
        the agent has such: you see the change before, and “Disconnect” puts back what was there. An agent works in the
        folder that it is started in.
      </p>
      {error === null ? null : <Problem title="Installed agents can’t be looked for" error={error} onRetry={reload} />}
      {clients === null && error === null ? <Skeleton label="Looking for installed agents" lines={4} /> : null}
      {clients === null ? null : here.length === 0 ? (
        <p>None of the agents that Gatehouse knows was found on this computer. Connect one by hand below.</p>
      ) : (
        <ul className="gh-clients" aria-label="Installed agents">
          {here.map(row)}
        </ul>
      )}
      {absent.length === 0 ? null : (
        <Fold title={`Not found on this computer (${absent.length})`}>
          <ul className="gh-clients" aria-label="Not found on this computer">
            {absent.map(row)}
          </ul>
        </Fold>
      )}
    </section>
  );
}
