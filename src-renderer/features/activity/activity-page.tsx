import { Activity, PencilRuler, Plug } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { WorkspaceInfo } from '#contract/window/app-events.js';
import { useRequest } from '../../bridge/use-request.js';
import { goTo, onCalls, useApp, useStatus, useWorkspace } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Fold } from '../../ui/layout/fold.js';
import { Page } from '../../ui/layout/page.js';
import { EmptyState } from '../../ui/notice/empty-state.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { AskerSection } from './asker-section.js';
import { ChangesRegion } from './changes/changes-region.js';
import { type AskerGroup, groupByAsker, startOfDay } from './asker-groups.js';
import './activity.css';

/** Later than any call. */
const EVER = Number.MAX_SAFE_INTEGER;
/** The time after which events are counted again, and the least between two counts. */
const COUNT_INTERVAL_MS = 500;
const DAY_CHECK_MS = 30_000;

/** The agents that work through Gatehouse, and their calls: the first thing that one sees of a folder that is open. */
export function ActivityPage({ howToAsk }: { readonly howToAsk: ReactNode }) {
  const today = useToday();
  const workspace = useWorkspace();
  const live = useApp(({ app }) => app.calls);
  const { clients } = useStatus().gateway;
  const open = useApp(({ app }) => app.workspaces);
  const all = useApp(({ allFolders }) => allFolders);
  const here = all ? undefined : workspace?.path;
  const recorded = useRequest('activity.sessions', limitToFolder({ from: today, to: EVER }, here));
  const { reload } = recorded;
  useEffect(() => onCalls(COUNT_INTERVAL_MS, reload), [reload]);
  const groups = useMemo(
    () =>
      groupByAsker(
        recorded.value?.sessions ?? [],
        live.filter((call) => isOf(call.workspace, here) && (call.outcome === null || call.startedAt >= today)),
        clients.filter(({ folder }) => isOf(folder, here)),
      ),
    [recorded.value, live, clients, today, here],
  );
  return (
    <Page title="Activity">
      <div className="gh-activity">
        {howToAsk}
        {recorded.error === null ? null : (
          <Problem title="Today’s activity can’t be read" error={recorded.error} onRetry={reload} />
        )}
        {groups.map((asking) => (
          <AskerSection key={asking.key} asking={asking} here={here} />
        ))}
        {recorded.value?.complete === false ? (
          <p className="secondary">Only the latest 20,000 calls of today are counted here. History has all of them.</p>
        ) : null}
        {groups.length > 0 ? null : recorded.loading && recorded.value === null ? (
          <Skeleton label="Reading today’s activity" lines={4} />
        ) : (
          <NothingYet />
        )}
        {groups.length === 0 || workspace === null ? null : here === undefined ? (
          listFolders(open, groups).map((folder) => (
            <ChangesRegion key={folder} today={today} here={folder} groups={groups} among="all" />
          ))
        ) : (
          <ChangesRegion today={today} here={here} groups={groups} among="one" />
        )}
        <Fold title="Before today">
          <EarlierActivity key={here ?? ''} to={today} here={here} />
        </Fold>
      </div>
    </Page>
  );
}

function NothingYet() {
  return (
    <EmptyState
      icon={<Activity aria-hidden />}
      title="No activity yet"
      actions={
        <>
          <Button tone="primary" icon={<Plug aria-hidden />} onClick={() => goTo('agents', 'connect')}>
            Connect an agent
          </Button>
          <Button icon={<PencilRuler aria-hidden />} onClick={() => goTo('compose')}>
            Compose a call
          </Button>
        </>
      }
    >
      Connect an agent, or compose a call yourself. What each agent reads, changes and runs appears here while it works.
    </EmptyState>
  );
}

/** Every folder in which something may have changed today: those that are open, and those that calls were for. */
const listFolders = (open: readonly WorkspaceInfo[], groups: readonly AskerGroup[]): readonly string[] => [
  ...new Set([
    ...open.map(({ path }) => path),
    ...groups.flatMap(({ sessions }) => sessions.flatMap(({ workspace }) => workspace ?? [])),
  ]),
];

/** Limits a span to the folder of the tab in front, all of it; the person may want every folder. */
const limitToFolder = <Span extends object>(span: Span, here: string | undefined) =>
  here === undefined ? span : { ...span, workspace: here };

const isOf = (folder: string, here: string | undefined): boolean => here === undefined || folder === here;

function EarlierActivity({ to, here }: { readonly to: number; readonly here: string | undefined }) {
  const recorded = useRequest('activity.sessions', limitToFolder({ from: 0, to }, here));
  if (recorded.error !== null)
    return <Problem title="Earlier activity can’t be read" error={recorded.error} onRetry={recorded.reload} />;
  if (recorded.value === null) return <Skeleton label="Reading earlier activity" lines={4} />;
  const groups = groupByAsker(recorded.value.sessions, [], []);
  if (groups.length === 0) return <p className="secondary">Nothing happened before today.</p>;
  return (
    <div className="gh-activity">
      {groups.map((asking) => (
        <AskerSection key={asking.key} asking={asking} here={here} canPause={false} />
      ))}
      {recorded.value.complete ? null : <p className="secondary">History has what lies further back.</p>}
    </div>
  );
}

/** Midnight; another one once it has passed. */
function useToday(): number {
  const [today, setToday] = useState(() => startOfDay(Date.now()));
  useEffect(() => {
    const timer = setInterval(() => setToday(startOfDay(Date.now())), DAY_CHECK_MS);
    return () => clearInterval(timer);
  }, []);
  return today;
}
