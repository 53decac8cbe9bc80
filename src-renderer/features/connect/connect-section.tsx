import { useState } from 'react';
import { ask, useRequest } from '../../bridge/use-request.js';
import { useStatus } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { AgentSetup, type Chosen, FIRST_CHOICE } from './agent-setup.js';
import { AgentTokens, type MadeToken } from './agent-tokens.js';
import { ConnectedClients } from './connected-clients.js';
import './connect.css';

/** How another agent comes through the gate: what to paste, who is there, and whether the door answers. */
export function ConnectSection() {
  const { gateway } = useStatus();
  // Asked again when the gateway begins to serve or moves: address and token are part of what is pasted.
  const [turn, setTurn] = useState(0);
  // Kept here, so that what was chosen outlives the asking.
  const [choice, setChoice] = useState(FIRST_CHOICE);
  const [made, setMade] = useState<MadeToken | null>(null);
  const { url } = gateway;
  return (
    <div className="gh-connect">
      <ConnectInfoLoader key={`${url ?? 'off'}:${turn}`} choice={choice} onChoose={setChoice} made={made} />
      <AgentTokens made={made} onMade={setMade} />
      <ConnectedClients clients={gateway.clients} serving={url !== null} />
      <Maintenance serving={url !== null} onRotated={() => setTurn((n) => n + 1)} />
    </div>
  );
}

function ConnectInfoLoader(chosen: Chosen) {
  const info = useRequest('gateway.connectInfo', {});
  if (info.error !== null)
    return (
      <NoticeBox severity="error" title="The configuration could not be made">
        {info.error.message}
      </NoticeBox>
    );
  return info.value === null ? null : <AgentSetup info={info.value} {...chosen} />;
}

function Maintenance({ serving, onRotated }: { readonly serving: boolean; readonly onRotated: () => void }) {
  const [outcome, setOutcome] = useState<{ readonly ok: boolean; readonly text: string } | null>(null);
  const test = () => {
    void ask('gateway.test', {}).then((answer) =>
      setOutcome(answer.ok ? answer.value : { ok: false, text: answer.error.message }),
    );
  };
  const rotate = () => {
    void ask('gateway.rotateToken', {}).then((answer) => {
      setOutcome(
        answer.ok
          ? { ok: true, text: 'There is a new token. Paste the new configuration into agents that connect over HTTP.' }
          : { ok: false, text: answer.error.message },
      );
      onRotated();
    });
  };
  return (
    <>
      <div className="gh-connect-actions">
        <Button size="small" onClick={test}>
          Test the gateway
        </Button>
        <Button size="small" onClick={rotate} disabled={!serving}>
          Change the token
        </Button>
        <span className="secondary">
          This is your own token, which sees everything. A new one puts out everybody who came in with the old one.
        </span>
      </div>
      <div aria-live="polite">
        {outcome === null ? null : (
          <NoticeBox
            severity={outcome.ok ? 'info' : 'error'}
            title={outcome.ok ? 'Done' : 'That did not work'}
            onDismiss={() => setOutcome(null)}
          >
            {outcome.text}
          </NoticeBox>
        )}
      </div>
    </>
  );
}
