import { useState } from 'react';
import { ask } from '../../bridge/use-request.js';
import { useStatus } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { GatewaySwitch } from './gateway-switch.js';

interface GatewayTestOutcome {
  readonly ok: boolean;
  readonly text: string;
}

/** Access for those who don't start a command: the address, and the person's own token. */
export function HttpAccess({ onRotated }: { readonly onRotated: () => void }) {
  const { gateway } = useStatus();
  const [outcome, setOutcome] = useState<GatewayTestOutcome | null>(null);
  const test = () => {
    void ask('gateway.test', {}).then((answer) =>
      setOutcome(answer.ok ? answer.value : { ok: false, text: answer.error.message }),
    );
  };
  const rotate = () => {
    void ask('gateway.rotateToken', {}).then((answer) => {
      setOutcome(
        answer.ok
          ? { ok: true, text: 'There is a new token. Paste the new configuration into clients that connect over HTTP.' }
          : { ok: false, text: answer.error.message },
      );
      onRotated();
    });
  };
  return (
    <section className="gh-agents-part" aria-labelledby="http-title">
      <h2 id="http-title">HTTP</h2>
      <GatewaySwitch />
      <div className="gh-agents-row">
        <Button size="small" onClick={test}>
          Test the gateway
        </Button>
        <Button size="small" onClick={rotate} disabled={gateway.url === null}>
          Change the token
        </Button>
        <span className="secondary">
          This is your own token; it sees everything. Changing it disconnects the clients that use it.
        </span>
      </div>
      <div aria-live="polite">
        {outcome === null ? null : (
          <NoticeBox
            severity={outcome.ok ? 'info' : 'error'}
            title={outcome.ok ? 'Done' : 'That didn’t work'}
            onDismiss={() => setOutcome(null)}
          >
            {outcome.text}
          </NoticeBox>
        )}
      </div>
    </section>
  );
}
