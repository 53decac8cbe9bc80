import type { ReactNode } from 'react';
import type { WindowPage } from '#contract/window/app-events.js';
import { reloadWindow } from '../../bridge/reload-window.js';
import { useApp, useWorkspace } from '../../store/app.js';
import { ErrorBoundary } from '../../ui/notice/error-boundary.js';
import { DetailPane } from './detail-pane.js';
import { Rail } from './rail.js';
import { StatusBar } from './status-bar.js';
import { WorkspaceTabs } from './workspace-tabs.js';
import './frame.css';

/** Places that need a folder: they show or ask for calls, and a call needs a folder to work in. */
const NEEDS_WORKSPACE: ReadonlySet<WindowPage> = new Set<WindowPage>(['activity', 'conversation', 'compose']);

export interface FrameProps {
  readonly pages: Readonly<Record<WindowPage, ReactNode>>;
  /** Stands in for a page that needs a workspace while there is none. */
  readonly welcome: ReactNode;
  /** Notices, above every page. */
  readonly notices: ReactNode;
  /** The strip at the foot of every page. */
  readonly strip: ReactNode;
  /** The dock for what asks the person, beside the page, or beneath it where the window is narrow. */
  readonly dock: ReactNode;
}

export function Frame({ pages, welcome, notices, strip, dock }: FrameProps) {
  const place = useApp((state) => state.place);
  const workspace = useWorkspace();
  return (
    <div className="gh-frame">
      <Rail />
      <main className="gh-main">
        <WorkspaceTabs />
        {notices}
        {/* Another folder is a new beginning for the pages that work in one. */}
        <div className="gh-place" key={NEEDS_WORKSPACE.has(place) ? `${place} ${workspace?.path ?? ''}` : place}>
          <ErrorBoundary what="This page" onReload={reloadWindow}>
            {workspace === null && NEEDS_WORKSPACE.has(place) ? welcome : pages[place]}
          </ErrorBoundary>
        </div>
        {strip}
      </main>
      <DetailPane />
      {dock}
      <StatusBar />
    </div>
  );
}
