import { Undo2 } from 'lucide-react';
import { useEffect, useId, useMemo, useState } from 'react';
import type { ChangedPath, FolderChanges, ChangesScope } from '#contract/vocabulary/activity/changes.js';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import { useAct } from '../../../bridge/use-act.js';
import { useRequest } from '../../../bridge/use-request.js';
import { CallLine } from '../../../calls/card/call-line.js';
import { DiffView } from '../../../calls/diff/diff-view.js';
import { UndoDialog } from '../../../calls/undo/undo-dialog.js';
import { UndoManyDialog, type UndoSelection } from '../../../calls/undo/undo-many-dialog.js';
import { onCalls } from '../../../store/app.js';
import { Button } from '../../../ui/form/button.js';
import { Select } from '../../../ui/form/select.js';
import { Fold } from '../../../ui/layout/fold.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { counted, formatWhen } from '../../../ui/text/format.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { Visible } from '../../../ui/text/visible.js';
import type { AskerGroup } from '../asker-groups.js';
import { ChangedTree } from './changed-tree.js';
import { attributeChanges } from './attribute-changes.js';

/** The time after which changes are read again once a call moved on, and the least between two readings. */
const READ_INTERVAL_MS = 700;
/** So many calls are listed; History has the others. */
const MAX_LISTED_CALLS = 50;
const TODAY = 'today';

export interface ChangesRegionProps {
  readonly today: number;
  /** The folder whose changes these are. */
  readonly here: string;
  readonly groups: readonly AskerGroup[];
  /** Whether it is one of all folders: then it names its folder, and is there only where something changed. */
  readonly among: 'one' | 'all';
}

/** Every file that was changed today or in a session, each as one change, with what undoes it. */
export function ChangesRegion({ today, here, groups, among }: ChangesRegionProps) {
  const title = useId();
  const [chosen, setChosen] = useState(TODAY);
  const [wanted, setWanted] = useState<UndoSelection | null>(null);
  const [call, setCall] = useState<string | null>(null);
  const scopes = listScopes(today, here, groups);
  const scope = scopes.find(({ value }) => value === chosen)?.scope ?? { workspace: here, from: today };
  const changes = useRequest('changes.get', scope);
  const { reload } = changes;
  useEffect(() => onCalls(READ_INTERVAL_MS, reload), [reload]);
  const effects = useMemo(() => (changes.value?.files ?? []).map(buildEffect), [changes.value]);
  const read = changes.value;
  if (
    among === 'all' &&
    chosen === TODAY &&
    changes.error === null &&
    (read === null || read.files.length + read.foreign.length === 0)
  )
    return null;
  return (
    <section className="gh-changes-region" aria-labelledby={title}>
      <header className="gh-who-head">
        <h2 id={title}>
          Changes
          {among === 'one' ? null : (
            <>
              {' '}
              in <Visible text={here} />
            </>
          )}
        </h2>
        {scopes.length > 1 ? (
          <Select label="Show changes of" labelShown options={scopes} value={chosen} onChange={setChosen} />
        ) : null}
      </header>
      {changes.error === null ? null : (
        <Problem title="The changes can’t be read" error={changes.error} onRetry={reload} />
      )}
      {read === null ? null : <MarkReviewed changes={read} workspace={scope.workspace} onLooked={reload} />}
      {read === null ? (
        changes.error === null ? (
          <Skeleton label="Loading the changes" lines={2} />
        ) : null
      ) : read.files.length === 0 ? (
        <p className="secondary">No file was changed. What agents change appears here, and can be undone.</p>
      ) : (
        <>
          <UndoButtons changes={read} scope={scope} onUndo={setWanted} />
          {read.complete ? null : (
            <p className="secondary">
              These are the changes of the latest {read.calls.length} calls. History has the others.
            </p>
          )}
          <ChangedTree
            files={read.files}
            effects={effects}
            workspace={scope.workspace}
            onUndo={(file) => setWanted({ title: `Undo ${toVisibleText(file.path)}`, scope, path: file.path })}
          />
          <DiffView files={effects} label="Changes, as one diff" workspace={scope.workspace} />
          <Fold title={`Calls that changed these files (${read.calls.length})`} defaultOpen>
            <ul className="gh-lines" aria-label="Calls behind them">
              {read.calls.slice(0, MAX_LISTED_CALLS).map((each) => (
                <CallLine key={each.callId} call={each}>
                  <Button
                    size="small"
                    tone="quiet"
                    icon={<Undo2 aria-hidden />}
                    aria-label={`Undo call: ${toVisibleText(each.summary)}`}
                    onClick={() => setCall(each.callId)}
                  >
                    Undo call
                  </Button>
                </CallLine>
              ))}
            </ul>
            {read.calls.length > MAX_LISTED_CALLS ? <p className="secondary">History has the older calls.</p> : null}
          </Fold>
        </>
      )}
      <UndoManyDialog wanted={wanted} onClose={() => setWanted(null)} />
      <UndoDialog
        callId={call ?? ''}
        lasting={listLasting(read, call)}
        open={call !== null}
        onClose={() => setCall(null)}
      />
    </section>
  );
}

interface MarkReviewedProps {
  readonly changes: FolderChanges;
  readonly workspace: string;
  readonly onLooked: () => void;
}

/** Files that may hold somebody else's words, until the person says that they read them. */
function MarkReviewed({ changes: { foreign }, workspace, onLooked }: MarkReviewedProps) {
  const { act, acting } = useAct();
  if (foreign.length === 0) return null;
  const looked = async (): Promise<void> => {
    await act('changes.lookedThrough', { workspace, paths: [...foreign] });
    onLooked();
  };
  const files = foreign.filter((path) => !path.endsWith('/')).length;
  const more = foreign
    .filter((path) => path.endsWith('/'))
    .map((path) => (path === '/' ? 'more in this folder than could be listed' : `the folder ${toVisibleText(path)}`));
  const what = [...(files === 0 ? [] : [counted(files, 'file')]), ...more].join(' and ');
  return (
    <p className="secondary">
      {what} may hold text that somebody else wrote. It counts as such, also where you trust this folder, until you have
      looked through it.{' '}
      <Button size="small" disabled={acting} onClick={() => void looked()}>
        I looked through it
      </Button>
    </p>
  );
}

interface UndoButtonsProps {
  readonly changes: FolderChanges;
  readonly scope: ChangesScope;
  readonly onUndo: (wanted: UndoSelection) => void;
}

function UndoButtons({ changes, scope, onUndo }: UndoButtonsProps) {
  const { agents, sessions } = attributeChanges(changes.calls);
  const whole = (title: string, more: Partial<ChangesScope>) => onUndo({ title, scope: { ...scope, ...more } });
  return (
    <div className="gh-changes-undo">
      {sessions.map(({ door, session, name, calls, since }) => (
        <Button
          key={`${door} ${session}`}
          icon={<Undo2 aria-hidden />}
          title={`${counted(calls, 'call')} since ${formatWhen(since)}`}
          onClick={() => whole(`Undo session ${toVisibleText(name)}`, { door, session })}
        >
          Undo session {toVisibleText(name)}
        </Button>
      ))}
      {agents.map((agent) => (
        <Button key={agent} icon={<Undo2 aria-hidden />} onClick={() => whole(`Undo agent ${agent}`, { agent })}>
          Undo agent {agent}
        </Button>
      ))}
    </div>
  );
}

/** How many files of a call stay as it left them. */
const listLasting = (changes: FolderChanges | null, callId: string | null): number =>
  (changes?.files ?? []).filter(({ lasting, callIds }) => lasting !== null && callIds.includes(callId ?? '')).length;

interface ScopeOption {
  readonly value: string;
  readonly label: string;
  readonly scope: ChangesScope;
}

/** Today, and each session that changed files here. */
const listScopes = (today: number, here: string, groups: readonly AskerGroup[]): readonly ScopeOption[] => [
  { value: TODAY, label: 'Today', scope: { workspace: here, from: today } },
  ...groups.flatMap(({ name, sessions }) =>
    sessions
      .filter(({ door, counts, workspace }) => door !== 'window' && workspace === here && (counts?.files ?? 0) > 0)
      .map(({ door, session, firstAt }) => ({
        value: `${door} ${session}`,
        label: `${toVisibleText(name)}, since ${formatWhen(firstAt)}`,
        scope: { workspace: here, from: firstAt, door, session },
      })),
  ),
];

const buildEffect = ({
  path,
  folder,
  change,
  before,
  after,
  between,
  lasting,
}: ChangedPath): FileEffect & { readonly absolute: string } => ({
  path,
  absolute: path.startsWith('/') ? path : `${folder}/${path}`,
  change,
  before,
  after,
  note: lasting ?? (between ? 'Another program changed it between these calls. That is in this diff, too.' : null),
});
