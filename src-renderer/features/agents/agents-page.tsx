import { Bot, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { useApp, useAppShallow, useStatus } from '../../store/app.js';
import { useCurrent } from '../../store/use-current.js';
import { Button } from '../../ui/form/button.js';
import { Page } from '../../ui/layout/page.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { AgentCard } from './agent-card.js';
import { buildAgentRows } from './agent-rows.js';
import { type Access, readAccess, readClientRules, applyAccess } from './client-rules.js';
import { ConnectByHand, FIRST_CHOICE } from './connect/by-hand.js';
import { ConnectSection } from './connect/connect-section.js';
import { HttpAccess } from './http-access.js';
import { TrustedFolders } from './trusted-folders.js';
import { type MadeToken, NewAgent, NewToken } from './new-agent.js';
import './agents.css';

/** The agents that may ask for calls: who is connected and was, what each is doing, and how each is asked. */
export function AgentsPage() {
  const { gateway } = useStatus();
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const [choice, setChoice] = useState(FIRST_CHOICE);
  // A client that is connected by a press is an agent from then on.
  const [connected, setConnected] = useState(0);
  // Address and token are part of what is pasted: asked again when either changed.
  const [turn, setTurn] = useState(0);
  useScrollToConnect();
  return (
    <Page
      title="Agents"
      about="The programs that ask for calls, what they are doing, and what they may do."
      actions={
        <Button icon={<Plus aria-hidden />} onClick={() => setAdding(true)}>
          New agent…
        </Button>
      }
    >
      <div className="gh-agents">
        {adding ? (
          <NewAgent
            onCreated={(created) => {
              setMade(created);
              setAdding(false);
            }}
            onCancel={() => setAdding(false)}
          />
        ) : null}
        {made === null ? null : <NewToken made={made} onDone={() => setMade(null)} />}
        <AgentList
          made={made}
          connected={connected}
          onRevoked={(name) => {
            if (made?.name === name) setMade(null);
          }}
        />
        <TrustedFolders />
        <ConnectSection onConnected={() => setConnected((n) => n + 1)} />
        <ConnectByHand key={`${gateway.url ?? 'off'}:${turn}`} choice={choice} onChoose={setChoice} made={made} />
        <HttpAccess onRotated={() => setTurn((n) => n + 1)} />
      </div>
    </Page>
  );
}

interface AgentListProps {
  readonly made: MadeToken | null;
  /** How often one was connected. */
  readonly connected: number;
  readonly onRevoked: (name: string) => void;
}

function AgentList({ made, connected, onRevoked }: AgentListProps) {
  const { gateway } = useStatus();
  const tokens = useRequest('agents.list', {});
  const seen = useRequest('agents.seen', {});
  const settings = useCurrent('settings.get', {});
  const calls = useAppShallow(({ app }) => app.calls);
  const { act, problem, setProblem } = useAct();
  const here = gateway.clients.map(({ sessionId, name }) => sessionId + name).join(' ');
  useFollow(tokens, `${here} ${made?.name} ${connected}`);
  useFollow(seen, `${here} ${calls.at(-1)?.callId}`);

  const rules = readClientRules(settings.value);
  const setAccess = (name: string, access: Access) => {
    const value = JSON.stringify(applyAccess(rules, name, access));
    void act('settings.set', { key: 'gateway.clients', value }).then((answer) => {
      if (answer.ok) settings.set(answer.value);
    });
  };
  const revoke = (name: string) => {
    void act('agents.revoke', { name }).then(() => {
      onRevoked(name);
      tokens.reload();
    });
  };
  const error = tokens.error ?? seen.error;
  if (error !== null) return <Problem title="The agents can’t be read" error={error} onRetry={tokens.reload} />;
  if (tokens.value === null || seen.value === null) return <Skeleton label="Reading the agents" lines={4} />;
  const rows = buildAgentRows({ tokens: tokens.value, seen: seen.value, connected: gateway.clients, rules, calls });
  return (
    <>
      {problem === null ? null : (
        <NoticeBox severity="error" title="Not saved" onDismiss={() => setProblem(null)}>
          {problem}
        </NoticeBox>
      )}
      {rows.length === 0 ? (
        <EmptyState title="No agents yet" icon={<Bot aria-hidden />}>
          Connect one below. It appears here with what it is doing.
        </EmptyState>
      ) : (
        <ul className="gh-agents-list" aria-label="Agents">
          {rows.map((row) => (
            <AgentCard
              key={`${row.standing === 'unnamed'} ${row.name}`}
              row={row}
              access={rules.find(({ name }) => name === row.name)?.access ?? 'normal'}
              onAccess={(access) => setAccess(row.name, access)}
              onAsking={(asking) => void act('agents.setAsking', { name: row.name, asking }).then(tokens.reload)}
              folders={readAccess(rules, row.name)}
              onFolders={(folders) =>
                void act('agents.setFolders', { name: row.name, folders: folders === null ? null : [...folders] })
              }
              onRevoke={() => revoke(row.name)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

/** Reads again when somebody comes or goes, when a token was made, and when there are new calls. */
function useFollow({ reload }: { readonly reload: () => void }, what: string): void {
  useEffect(() => {
    if (what === '') return undefined;
    const timer = setTimeout(reload, 200);
    return () => clearTimeout(timer);
  }, [what, reload]);
}

/** Brings the target of a link from another part of the window into sight. */
function useScrollToConnect(): void {
  const anchor = useApp((state) => state.anchor);
  useEffect(() => {
    if (anchor === 'connect') document.getElementById('agents-connect')?.scrollIntoView({ block: 'start' });
  }, [anchor]);
}
