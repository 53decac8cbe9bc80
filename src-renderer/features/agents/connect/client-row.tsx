import { Check, CircleHelp, TriangleAlert, X } from 'lucide-react';
import { useState } from 'react';
import type { ClientReach, ClientTest, ClientView } from '#contract/window/clients.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { Mono } from '../../../ui/text/code-block.js';
import { ClientChange } from './client-change.js';
import { TestResult } from './test-result.js';
import { Refusal } from '../../../ui/notice/refusal.js';

interface ClientRowProps {
  readonly client: ClientView;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly onChanged: () => void;
}

const REACH_ICONS = { 'only-gatehouse': Check, 'also-others': X, unknown: CircleHelp } as const;

export function ClientRow({ client, open, onOpen, onChanged }: ClientRowProps) {
  const { id, name, now, undoable, reach, problem, afterwards } = client;
  const [test, setTest] = useState<ClientTest | null>(null);
  const { act, acting, problem: failed, setProblem } = useAct();
  const runTest = () =>
    void act('clients.test', { id }).then((answer) => {
      if (answer.ok) setTest(answer.value);
    });
  const undo = () =>
    void act('clients.undo', { id }).then((answer) => {
      setTest(null);
      if (answer.ok) onOpen(false);
      onChanged();
    });
  return (
    <li className="gh-client" aria-label={name} data-client={id}>
      <div className="gh-client-head">
        <h3>{name}</h3>
        <span className={now.gatehouse ? 'gh-agent-here' : 'secondary'}>{describeState(client)}</span>
        <span className="gh-client-buttons">
          {open ? null : (
            <Button
              size="small"
              tone={now.gatehouse ? 'plain' : 'primary'}
              aria-label={now.gatehouse ? `Change the settings of ${name}` : `Connect ${name}`}
              disabled={problem !== null}
              onClick={() => {
                setProblem(null);
                onOpen(true);
              }}
            >
              {now.gatehouse ? 'Change…' : 'Connect…'}
            </Button>
          )}
          {now.gatehouse ? (
            <Button size="small" aria-label={`Test call for ${name}`} disabled={acting} onClick={runTest}>
              Test call
            </Button>
          ) : null}
          {undoable ? (
            <Button size="small" aria-label={`Undo for ${name}`} disabled={acting} onClick={undo}>
              Undo
            </Button>
          ) : null}
        </span>
      </div>
      {reach === null ? null : <Reach reach={chooseReach(test, reach)} />}
      {problem === null ? null : (
        <p className="gh-client-problem" role="alert">
          <TriangleAlert aria-hidden /> {problem} Gatehouse leaves it as it is.
        </p>
      )}
      <Refusal text={failed} />
      {open ? (
        <ClientChange
          client={client}
          onClose={() => onOpen(false)}
          onWritten={(connected) => {
            setTest(null);
            onOpen(false);
            onChanged();
            // The written settings are tried at once: the person pressed the button a moment ago.
            if (connected) runTest();
          }}
        />
      ) : null}
      <div aria-live="polite">
        {acting && now.gatehouse ? <p className="secondary">Starting the command as {name} would…</p> : null}
        {test === null ? null : <TestResult test={test} afterwards={afterwards} />}
      </div>
      {now.gatehouse ? (
        <p className="secondary">
          {client.folder === null ? (
            'Works where it is started'
          ) : (
            <>
              Works in <Mono>{client.folder}</Mono>
            </>
          )}
          {client.tried.length === 0
            ? '. These settings are as its documentation says: no version was tried.'
            : `. Tried with version ${client.tried.join(' and ')}.`}
        </p>
      ) : null}
    </li>
  );
}

/** Prefers a client's own test over its settings for its reach. */
const chooseReach = (test: ClientTest | null, reach: ClientReach): ClientReach =>
  (test?.left?.length ?? 0) === 0 ? reach : { kind: 'also-others', text: `Left: ${test?.left?.join(', ') ?? ''}` };

function describeState({ now, otherwise }: ClientView): string {
  if (otherwise) return 'Its entry for Gatehouse starts something else';
  return now.gatehouse ? 'Connected' : 'Not connected';
}

function Reach({ reach: { kind, text } }: { readonly reach: ClientReach }) {
  const Icon = REACH_ICONS[kind];
  return (
    <p className={`gh-reach gh-reach-${kind}`}>
      <Icon aria-hidden /> {text}
      {kind === 'only-gatehouse' ? ', as its own settings say. A folder’s settings can say otherwise.' : '.'}
    </p>
  );
}
