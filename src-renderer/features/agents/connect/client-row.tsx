import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { ClientTest, ClientView } from '#contract/window/clients.js';
import { useAct } from '../../../bridge/use-act.js';
import { useStatus } from '../../../store/app.js';
import { Button } from '../../../ui/form/button.js';
import { Refusal } from '../../../ui/notice/refusal.js';
import { ClientChange } from './client-change.js';
import { ClientSettings } from './client-settings.js';

interface ClientRowProps {
  readonly client: ClientView;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly onChanged: () => void;
}

/** The last test of a client's settings in one place; null while it runs. */
interface PlaceTest {
  readonly only: string | null;
  readonly result: ClientTest | null;
}

export function ClientRow({ client, open, onOpen, onChanged }: ClientRowProps) {
  const { id, name, inFolder } = client;
  const [test, setTest] = useState<PlaceTest | null>(null);
  const { act, acting, problem, setProblem } = useAct();
  const runTest = (only: string | null) => {
    setTest({ only, result: null });
    void act('clients.test', { id, only }).then((answer) => {
      setTest(answer.ok ? { only, result: answer.value } : null);
    });
  };
  const running = useStatus().gateway.clients.some(({ agent }) => agent === id);
  const places = inFolder === null ? [client] : [client, inFolder];
  const setUp = places.filter(({ now, otherwise }) => now.gatehouse || otherwise);
  // A client whose own file is broken doesn’t start in a folder either.
  const isBroken = places.some((view) => view.problem !== null);
  return (
    <li className="gh-client" aria-label={name} data-client={id}>
      <div className="gh-client-head">
        <h3>{name}</h3>
        {setUp.length === 0 ? <span className="secondary">Not connected</span> : null}
        {running ? <span className="gh-agent-here">Running now</span> : null}
        <span className="gh-client-buttons">
          {open ? null : (
            <Button
              size="small"
              tone={setUp.length > 0 ? 'plain' : 'primary'}
              aria-label={setUp.length > 0 ? `Change… the settings of ${name}` : `Connect ${name}`}
              disabled={isBroken}
              onClick={() => {
                setProblem(null);
                onOpen(true);
              }}
            >
              {setUp.length > 0 ? 'Change…' : 'Connect…'}
            </Button>
          )}
        </span>
      </div>
      {places.map((view) =>
        view.problem === null ? null : (
          <p key={view.only} className="gh-client-problem" role="alert">
            <TriangleAlert aria-hidden /> {view.problem} Gatehouse leaves it as it is.
          </p>
        ),
      )}
      <Refusal text={problem} />
      {open ? (
        <ClientChange
          client={client}
          onClose={() => onOpen(false)}
          onWritten={({ only }, connected) => {
            setTest(null);
            onOpen(false);
            onChanged();
            // The written settings are tried at once: the person pressed the button a moment ago.
            if (connected) runTest(only);
          }}
        />
      ) : null}
      {setUp.map((view) => (
        <ClientSettings
          key={view.only}
          view={view}
          test={test?.only === view.only ? test.result : null}
          testing={acting && test?.only === view.only}
          onTest={() => runTest(view.only)}
          onGone={() => {
            setTest(null);
            onChanged();
          }}
        />
      ))}
    </li>
  );
}
