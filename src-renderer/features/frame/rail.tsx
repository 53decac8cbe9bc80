import { FolderOpen } from 'lucide-react';
import type { WindowPage } from '#contract/window/app-events.js';
import { goTo, useApp, useWorkspace } from '../../store/app.js';
import { PAGE_ENTRIES } from './places.js';
import { useMediaQuery, NARROW } from '../../ui/style/use-media-query.js';
import { formatCount } from '../../ui/text/format.js';
import { WorkspaceMenu } from './workspace-menu.js';

export function Rail() {
  const place = useApp((state) => state.place);
  const workspace = useWorkspace();
  const narrow = useMediaQuery(NARROW);
  const waiting = useApp(
    ({ app }) => app.calls.filter(({ awaiting }) => awaiting !== null).length + app.folderQuestions.length,
  );
  const countOf = (each: WindowPage): number => (each === 'activity' ? waiting : 0);
  return (
    <aside className="gh-rail" aria-label="Places and workspace">
      <nav aria-label="Places">
        <ul className="gh-rail-places">
          {PAGE_ENTRIES.map(({ place: each, title, Icon }) => (
            <li key={each}>
              <a
                className="gh-rail-link"
                href={`#${each}`}
                aria-current={each === place ? 'page' : undefined}
                aria-label={countOf(each) === 0 ? title : `${title} ${countOf(each)}`}
                title={narrow ? title : undefined}
                draggable={false}
                onClick={(event) => {
                  event.preventDefault();
                  goTo(each);
                }}
              >
                <Icon aria-hidden />
                <span className="gh-rail-text" aria-hidden>
                  {title}
                </span>{' '}
                {countOf(each) === 0 ? null : (
                  <span className="gh-rail-count" aria-hidden>
                    {formatCount(countOf(each))}
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <WorkspaceMenu
        side="top"
        trigger={
          <button
            type="button"
            className="gh-rail-workspace"
            aria-label={workspace === null ? 'No workspace: open one' : `Workspace ${workspace.name}`}
            title={workspace?.path}
          >
            <FolderOpen aria-hidden />
            <span className="gh-rail-text">
              <span className="gh-rail-workspace-name">{workspace?.name ?? 'No workspace'}</span>
            </span>
          </button>
        }
      />
    </aside>
  );
}
