import { DISPLAY_WORDS } from '#contract/vocabulary/call-labels.js';
import { isPending } from '#contract/window/app-state.js';
import { goTo, useApp, useStatus, useWorkspace } from '../../store/app.js';
import { joinClassNames } from '../../ui/style/join-class-names.js';
import { formatCount } from '../../ui/text/format.js';
import {
  describeConfinement,
  describeGateway,
  describeJournal,
  describeMode,
  describeRoots,
} from '../../store/describe-status.js';
import { WorkspaceMenu } from './workspace-menu.js';

export function StatusBar() {
  const status = useStatus();
  const workspace = useWorkspace();
  const roots = describeRoots(status, workspace?.path ?? '');
  const pending = useApp(({ app }) => app.calls.filter(isPending).length + app.folderQuestions.length);
  const running = useApp(({ app }) => app.calls.filter((call) => call.display === 'executing').length);
  return (
    <footer className="gh-status" aria-label="Status">
      <WorkspaceMenu
        side="top"
        trigger={
          <button type="button" className="gh-status-part gh-status-path" title="Open another workspace">
            <bdi>{workspace?.path ?? 'No workspace'}</bdi>
          </button>
        }
      />
      {roots === null ? null : (
        <StatusPartView {...roots} onClick={() => goTo('settings', 'tools.sandbox.allowed_roots')} />
      )}
      <StatusPartView {...describeMode(status)} onClick={() => goTo('settings', 'tools.mode')} />
      <StatusPartView {...describeConfinement(status)} onClick={() => goTo('health')} />
      <StatusPartView {...describeJournal(status)} onClick={() => goTo('health')} />
      <StatusPartView {...describeGateway(status)} onClick={() => goTo('agents')} />
      <span className="gh-status-space" />
      <StatusPartView
        text={`${DISPLAY_WORDS.pending} ${formatCount(pending)}`}
        tone={pending > 0 ? 'notice' : 'calm'}
        title="Calls that wait"
        onClick={() => goTo('history', 'VALIDATED')}
      />
      <StatusPartView
        text={`${DISPLAY_WORDS.executing} ${formatCount(running)}`}
        tone={running > 0 ? 'notice' : 'calm'}
        title="Calls that run now"
        onClick={() => goTo('history', 'EXECUTING')}
      />
    </footer>
  );
}

interface PartProps {
  readonly text: string;
  readonly title: string;
  readonly tone: 'calm' | 'notice' | 'warning' | 'error';
  readonly onClick: () => void;
}

function StatusPartView({ text, title, tone, onClick }: PartProps) {
  return (
    <button
      type="button"
      className={joinClassNames('gh-status-part', `gh-status-${tone}`)}
      title={title}
      onClick={onClick}
    >
      {text}
    </button>
  );
}
