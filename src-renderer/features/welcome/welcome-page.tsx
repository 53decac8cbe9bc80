import { FolderOpen, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { BridgeError } from '#contract/window/result.js';
import type { WorkspaceInfo } from '#contract/window/app-events.js';
import { ask } from '../../bridge/use-request.js';
import { useApp } from '../../store/app.js';
import { Button, IconButton } from '../../ui/form/button.js';
import { Problem } from '../../ui/notice/problem.js';
import './welcome.css';

export function WelcomePage({ howToAsk }: { readonly howToAsk: ReactNode }) {
  const recent = useApp((state) => state.app.recentWorkspaces);
  const [error, setError] = useState<BridgeError | null>(null);

  const open = (request: Promise<{ readonly ok: boolean; readonly error?: BridgeError }>) =>
    void request.then((answer) => setError(answer.ok ? null : (answer.error ?? null)));

  return (
    <section className="gh-welcome" aria-label="Welcome">
      <header>
        <h1>Gatehouse</h1>
        <p className="gh-welcome-about">
          Gatehouse sits between AI agents and your computer. It checks every action, asks you when it matters, keeps a
          record, and can undo file changes. Open the folder agents may work in.
        </p>
      </header>
      <Button
        tone="primary"
        className="gh-welcome-open"
        icon={<FolderOpen aria-hidden />}
        onClick={() => open(ask('workspace.choose', {}))}
      >
        Open workspace…
      </Button>
      {howToAsk}
      {error === null ? null : <Problem title="The folder can’t be opened" error={error} />}
      {recent.length === 0 ? null : (
        <div>
          <h2 id="recent-workspaces">Recent workspaces</h2>
          <ul className="gh-welcome-recent" aria-labelledby="recent-workspaces">
            {recent.map((workspace) => (
              <RecentWorkspace
                key={workspace.path}
                workspace={workspace}
                onOpen={() => open(ask('workspace.open', { path: workspace.path }))}
              />
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

function RecentWorkspace({ workspace, onOpen }: { readonly workspace: WorkspaceInfo; readonly onOpen: () => void }) {
  return (
    <li>
      <button type="button" className="gh-welcome-entry" onClick={onOpen}>
        <span className="gh-welcome-name">{workspace.name}</span>
        <span className="gh-welcome-path mono">
          <bdi>{workspace.path}</bdi>
        </span>
      </button>
      <IconButton
        label={`Remove ${workspace.name} from the list`}
        size="small"
        onClick={() => void ask('workspace.forgetRecent', { path: workspace.path })}
      >
        <X aria-hidden />
      </IconButton>
    </li>
  );
}
