import { FolderPlus, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { WorkspaceInfo } from '#contract/window/app-events.js';
import { isPending } from '#contract/window/app-state.js';
import { ask } from '../../bridge/use-request.js';
import { showAllFolders, useApp, useAppShallow, useWorkspace } from '../../store/app.js';
import { IconButton } from '../../ui/form/button.js';
import { counted } from '../../ui/text/format.js';
import { buildTabTitles } from './tab-titles.js';
import './workspace-tabs.css';

/** A tab filters again, also where it is the one in front. */
function show(path: string): void {
  showAllFolders(false);
  void ask('workspace.show', { path });
}
const close = (path: string): void => void ask('workspace.close', { path });

/** The folders that are open, each with its tab; absent while none is. */
export function WorkspaceTabs() {
  const open = useApp(({ app }) => app.workspaces);
  const shown = useWorkspace();
  const waiting = useAppShallow(({ app }) =>
    app.workspaces.map(({ path }) => app.calls.filter((call) => call.workspace === path && isPending(call)).length),
  );
  const list = useRef<HTMLDivElement>(null);
  const closing = useRef<string | null>(null);
  const count = open.length;
  // The focus of a closed tab goes to the one that is shown instead.
  useEffect(() => {
    if (closing.current === null || open.some(({ path }) => path === closing.current)) return;
    closing.current = null;
    list.current?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }, [open]);
  if (count === 0) return null;
  const titles = buildTabTitles(open);
  const closeFrom = (path: string): void => {
    closing.current = path;
    close(path);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const at = open.findIndex(({ path }) => path === shown?.path);
    if (event.key === 'Delete' && shown !== null) return closeFrom(shown.path);
    const next = neighbour(open, at, event.key);
    if (next === undefined) return;
    event.preventDefault();
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[open.indexOf(next)]?.focus();
    show(next.path);
  };
  return (
    <div className="gh-workspaces">
      {/* A list of tabs may hold tabs only: what closes each stands beside it, in a list of its own. */}
      <div ref={list} role="tablist" aria-label="Workspaces" className="gh-workspace-list">
        {open.map(({ path }, at) => (
          <button
            key={path}
            type="button"
            role="tab"
            className="gh-workspace-tab"
            style={{ gridColumn: 2 * at + 1 }}
            aria-selected={path === shown?.path}
            tabIndex={path === shown?.path ? 0 : -1}
            title={path}
            onClick={() => show(path)}
            onKeyDown={onKeyDown}
          >
            <bdi>{titles[at]}</bdi>
            {waiting[at] === 0 ? null : (
              <span className="gh-workspace-waiting">
                <span className="sr-only">, {counted(waiting[at] ?? 0, 'call')} waiting</span>
                <span aria-hidden>{waiting[at]}</span>
              </span>
            )}
          </button>
        ))}
      </div>
      <div className="gh-workspace-list">
        {open.map(({ path }, at) => (
          <span key={path} className="gh-workspace-close" style={{ gridColumn: 2 * at + 2 }}>
            <IconButton label={`Close ${titles[at] ?? ''}`} size="small" onClick={() => closeFrom(path)}>
              <X aria-hidden />
            </IconButton>
          </span>
        ))}
        <span className="gh-workspace-close" style={{ gridColumn: 2 * count + 1 }}>
          <IconButton label="Open another workspace…" size="small" onClick={() => void ask('workspace.choose', {})}>
            <FolderPlus aria-hidden />
          </IconButton>
        </span>
      </div>
      <AllFolders />
    </div>
  );
}

/** Activity of every folder at once. It is no tab: the folder in front stays in front, and what one does goes there. */
function AllFolders() {
  const place = useApp((state) => state.place);
  const all = useApp((state) => state.allFolders);
  if (place !== 'activity') return null;
  return (
    <button type="button" className="gh-all-folders" aria-pressed={all} onClick={() => showAllFolders(!all)}>
      All folders
    </button>
  );
}

function neighbour(open: readonly WorkspaceInfo[], at: number, key: string): WorkspaceInfo | undefined {
  switch (key) {
    case 'ArrowRight':
      return open[(at + 1) % open.length];
    case 'ArrowLeft':
      return open.at(at - 1);
    case 'Home':
      return open[0];
    case 'End':
      return open.at(-1);
    default:
      return undefined;
  }
}
