import type { ReactNode } from 'react';
import { useAct } from '../../bridge/use-act.js';
import { useStatus } from '../../store/app.js';
import { Mono } from '../../ui/text/code-block.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Switch } from '../../ui/form/switch.js';

/** The door for other programs: open or shut now, and how they find it, which `connect` tells. */
export function GatewaySwitch({ connect }: { readonly connect: ReactNode }) {
  const { gateway } = useStatus();
  const { act, problem } = useAct();
  const trouble = problem ?? gateway.problem;
  return (
    <>
      <div className="gh-setting">
        <div className="gh-setting-about">
          <span className="gh-setting-name">Serve MCP and HTTP</span>
          <p>Lets programs on this machine ask for calls, through the same gate as everything else.</p>
          {gateway.url === null ? null : (
            <p className="secondary">
              Serving on <Mono>{gateway.url}</Mono>
            </p>
          )}
        </div>
        <div className="gh-setting-control">
          <Switch
            ariaLabel="Serve MCP and HTTP"
            checked={gateway.enabled}
            onChange={(enabled) => void act('gateway.setEnabled', { enabled })}
          />
        </div>
      </div>
      {trouble === null ? null : (
        <NoticeBox severity="error" title="The gateway does not serve">
          {trouble}
        </NoticeBox>
      )}
      {connect}
    </>
  );
}
