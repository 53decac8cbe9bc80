import type { ReactNode } from 'react';
import type { Place } from '#contract/window/app-events.js';
import { useApp, useWorkspace } from '../../store/app.js';
import { ErrorBoundary } from '../../ui/notice/error-boundary.js';
import { DetailPane } from './detail-pane.js';
import { Rail } from './rail.js';
import { StatusBar } from './status-bar.js';
import './frame.css';

/** These two ask for calls, and a call needs a folder to work in. */
const NEEDS_WORKSPACE: ReadonlySet<Place> = new Set<Place>(['conversation', 'compose']);

export interface FrameProps {
  readonly pages: Readonly<Record<Place, ReactNode>>;
  /** Stands in for a page that needs a workspace while there is none. */
  readonly welcome: ReactNode;
  /** Above every page. */
  readonly notices: ReactNode;
}

export function Frame({ pages, welcome, notices }: FrameProps) {
  const place = useApp((state) => state.place);
  const workspace = useWorkspace();
  return (
    <div className="gh-frame">
      <Rail />
      <main className="gh-main">
        {notices}
        {/* A new workspace is a new beginning for every page. */}
        <div className="gh-place" key={`${place} ${workspace?.path ?? ''}`}>
          <ErrorBoundary what="This page">
            {workspace === null && NEEDS_WORKSPACE.has(place) ? welcome : pages[place]}
          </ErrorBoundary>
        </div>
      </main>
      <DetailPane />
      <StatusBar />
    </div>
  );
}
