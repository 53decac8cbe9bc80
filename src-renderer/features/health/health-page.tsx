import { RotateCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { DISPLAY_WORDS, STATE_WORDS } from '#contract/vocabulary/call-labels.js';
import { useRequest } from '../../bridge/use-request.js';
import { goTo } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { formatBytes, formatCount, formatDuration } from '../../ui/text/format.js';
import { Page } from '../../ui/layout/page.js';
import { Problem } from '../../ui/notice/problem.js';
import { Select } from '../../ui/form/select.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { loadLazily } from '../../ui/notice/load-lazily.js';
import { LatencyTable } from './latency-table.js';
import { OutcomeShares } from './outcome-shares.js';
import { ReadablePaths } from './readable-paths.js';
import { AppState } from './app-state.js';
import './health.css';

const CallsChart = loadLazily('Drawing the chart', async () => (await import('./calls-chart.js')).CallsChart);

const SPANS = [
  { value: '24', label: 'Past 24 hours' },
  { value: '168', label: 'Past 7 days' },
  { value: '720', label: 'Past 30 days' },
  { value: '8760', label: 'Past year' },
] as const;

export function HealthPage({ verifyAudit }: { readonly verifyAudit: ReactNode }) {
  const [hours, setHours] = useState<(typeof SPANS)[number]['value']>('24');
  const { value: telemetry, error, loading, reload } = useRequest('telemetry.get', { hours: Number(hours) });
  return (
    <Page
      title="Health"
      actions={
        <>
          <Select label="Period" options={SPANS} value={hours} onChange={setHours} />
          <Button icon={<RotateCw aria-hidden />} disabled={loading} onClick={reload}>
            Refresh
          </Button>
        </>
      }
    >
      <div className="gh-health">
        <AppState telemetry={telemetry} verifyAudit={verifyAudit} />
        <ReadablePaths />
        {error === null ? null : <Problem title="The numbers can’t be loaded" error={error} onRetry={reload} />}
        {telemetry === null && error === null ? <Skeleton label="Counting calls" lines={6} /> : null}
        {telemetry !== null && telemetry.total === 0 ? (
          <EmptyState
            title="No calls in this period"
            actions={<Button onClick={() => goTo('compose')}>Compose a call</Button>}
          >
            Once calls run, this page shows how many there were, how long they took and how they ended.
          </EmptyState>
        ) : null}
        {telemetry === null || telemetry.total === 0 ? null : (
          <>
            <section aria-labelledby="health-calls">
              <h2 id="health-calls">Calls</h2>
              <dl className="gh-figures">
                <Figure name="Calls" value={formatCount(telemetry.total)} />
                <Figure
                  name={DISPLAY_WORDS.completed}
                  value={telemetry.successRate === null ? '–' : `${Math.round(telemetry.successRate * 100)} %`}
                />
                <Figure name={DISPLAY_WORDS.denied} value={formatCount(telemetry.denials)} />
                <Figure name={STATE_WORDS.ROLLED_BACK.stands} value={formatCount(telemetry.rollbacks)} />
                <Figure name="Command CPU time" value={formatDuration(telemetry.cpuMs)} />
                <Figure name="Peak memory" value={formatBytes(telemetry.peakMemoryBytes)} />
              </dl>
              <CallsChart timeline={telemetry.timeline} />
              <OutcomeShares telemetry={telemetry} />
            </section>
            <section aria-labelledby="health-latency">
              <h2 id="health-latency">Duration</h2>
              <LatencyTable tools={telemetry.tools} />
            </section>
          </>
        )}
      </div>
    </Page>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="gh-figure">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
