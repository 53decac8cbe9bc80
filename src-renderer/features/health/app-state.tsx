import type { ReactNode } from 'react';
import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import { useStatus } from '../../store/app.js';
import { formatBytes, formatCount } from '../../ui/text/format.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Facts } from '../../ui/layout/page.js';
import { describeConfinement, describeGateway, describeJournal } from '../../store/describe-status.js';

/** Whether what everything rests on is in order: the record and the walls. */
export function AppState(props: { readonly telemetry: TelemetrySnapshot | null; readonly verifyAudit: ReactNode }) {
  const { telemetry, verifyAudit } = props;
  const status = useStatus();
  const journal = describeJournal(status);
  const confinement = describeConfinement(status);
  const gateway = describeGateway(status);
  return (
    <div className="gh-app-state">
      <section aria-labelledby="health-journal">
        <h2 id="health-journal">Journal</h2>
        {journal.tone === 'error' ? (
          <NoticeBox severity="error" title="The journal can’t be written">
            {journal.title} Nothing runs until then. Free some space or make the data folder writable. Gatehouse then
            goes on by itself.
          </NoticeBox>
        ) : null}
        <Facts
          facts={[
            ['State', journal.tone === 'error' ? 'Closed' : 'Recording'],
            ['Events', telemetry === null ? '–' : formatCount(telemetry.events)],
            ['Size', telemetry === null ? '–' : formatBytes(telemetry.journalBytes)],
          ]}
        />
        <div className="gh-app-state-action">{verifyAudit}</div>
      </section>
      <section aria-labelledby="health-confinement">
        <h2 id="health-confinement">Sandbox</h2>
        {confinement.tone === 'calm' ? null : (
          <NoticeBox severity={confinement.tone === 'error' ? 'error' : 'warning'} title={confinement.text}>
            {confinement.title}
          </NoticeBox>
        )}
        <Facts
          facts={[
            ['Sandbox', MODES[status.confinement.mode]],
            ['Available', status.confinement.available ? 'Yes' : (status.confinement.problem ?? 'Not known yet')],
            ['App window', status.chromiumSandboxOff ? 'Not sandboxed (running as root)' : 'Sandboxed'],
          ]}
        />
      </section>
      <section aria-labelledby="health-app">
        <h2 id="health-app">App</h2>
        <Facts
          facts={[
            ['Version', status.version],
            ['Platform', status.platform],
            ['Gateway', gateway.text],
          ]}
        />
      </section>
    </div>
  );
}

const MODES = {
  required: 'Required; commands fail without it',
  preferred: 'On when available',
  off: 'Off',
} as const;
