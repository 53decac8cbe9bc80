import { useAct } from '../../bridge/use-act.js';
import { useStatus } from '../../store/app.js';
import { Mono } from '../../ui/text/code-block.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Switch } from '../../ui/form/switch.js';
import './agents.css';

/** The door over HTTP: open or shut now, and where it is. */
export function GatewaySwitch() {
  const { gateway } = useStatus();
  const { act, problem } = useAct();
  const trouble = problem ?? gateway.problem;
  return (
    <>
      <div className="gh-gateway-switch">
        <div>
          <span className="gh-gateway-name">Serve MCP and HTTP</span>
          <p className="secondary">
            Programs on this computer can send requests over HTTP. Each goes through the same checks.
          </p>
          {gateway.url === null ? null : (
            <p className="secondary">
              Serving on <Mono>{gateway.url}</Mono>
            </p>
          )}
        </div>
        <Switch
          ariaLabel="Serve MCP and HTTP"
          checked={gateway.enabled}
          onChange={(enabled) => void act('gateway.setEnabled', { enabled })}
        />
      </div>
      {trouble === null ? null : (
        <NoticeBox severity="error" title="The gateway isn’t serving">
          {trouble}
        </NoticeBox>
      )}
    </>
  );
}
