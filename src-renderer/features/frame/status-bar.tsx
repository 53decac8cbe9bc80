import { DISPLAY_WORDS } from '#contract/vocabulary/call-labels.js';
import { goTo, useApp, useStatus, useWorkspace } from '../../store/app.js';
import { classNames } from '../../ui/style/class-names.js';
import { formatCount } from '../../ui/text/format.js';
import { confinementPart, gatewayPart, journalPart, modePart, rootsPart } from '../../store/status-words.js';
import { WorkspaceMenu } from './workspace-menu.js';

export function StatusBar() {
  const status = useStatus();
  const workspace = useWorkspace();
  const roots = rootsPart(status, workspace?.path ?? '');
  const pending = useApp(
    ({ app }) => app.calls.filter((call) => call.display === 'pending').length + app.folderQuestions.length,
  );
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
      {roots === null ? null : <Part {...roots} onClick={() => goTo('settings', 'tools.sandbox.allowed_roots')} />}
      <Part {...modePart(status)} onClick={() => goTo('settings', 'tools.mode')} />
      <Part {...confinementPart(status)} onClick={() => goTo('health')} />
      <Part {...journalPart(status)} onClick={() => goTo('health')} />
      <Part {...gatewayPart(status)} onClick={() => goTo('agents')} />
      <span className="gh-status-space" />
      <Part
        text={`${DISPLAY_WORDS.pending} ${formatCount(pending)}`}
        tone={pending > 0 ? 'notice' : 'calm'}
        title="Calls that wait"
        onClick={() => goTo('history', 'VALIDATED')}
      />
      <Part
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

function Part({ text, title, tone, onClick }: PartProps) {
  return (
    <button type="button" className={classNames('gh-status-part', `gh-status-${tone}`)} title={title} onClick={onClick}>
      {text}
    </button>
  );
}
