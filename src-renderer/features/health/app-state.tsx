import type { ReactNode } from 'react';
import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import type { ReadableByCommands } from '#contract/window/health.js';
import { useRequest } from '../../bridge/use-request.js';
import { Visible } from '../../ui/text/visible.js';
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
  const { value: seen } = useRequest('health.seen', {});
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
            ...listReadablePaths(seen),
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

/** Facts on which paths of this computer a command reads that runs without asking, whatever else is confined. */
function listReadablePaths(seen: ReadableByCommands | null): readonly (readonly [string, ReactNode])[] {
  if (seen === null) return [];
  const { folder, system, tools, repository, readable } = seen;
  const paths = (label: string, all: readonly string[]): readonly (readonly [string, ReactNode])[] =>
    all.length === 0 ? [] : [[label, <Visible key={label} text={all.join(', ')} />]];
  return [
    ...paths('Commands see, without asking', [...(folder === null ? [] : [folder]), ...system]),
    ...paths('Tools that they see', tools),
    ...paths('Repository of this folder', repository === null ? [] : [repository]),
    ...paths('Readable by your settings', readable),
  ];
}

const MODES = {
  required: 'Required; commands fail without it',
  preferred: 'On when available',
  off: 'Off',
} as const;
