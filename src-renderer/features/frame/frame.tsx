import type { ReactNode } from 'react';
import type { Place } from '#contract/window/app-events.js';
import { useApp, useWorkspace } from '../../store/app.js';
import { ErrorBoundary } from '../../ui/notice/error-boundary.js';
import { ComposePage } from '../compose/compose-page.js';
import { ConversationPage } from '../conversation/conversation-page.js';
import { HealthPage } from '../health/health-page.js';
import { HistoryPage } from '../history/history-page.js';
import { NoticeArea } from '../notices/notice-area.js';
import { SettingsPage } from '../settings/settings-page.js';
import { ToolsPage } from '../tools/tools-page.js';
import { WelcomePage } from '../welcome/welcome-page.js';
import { DetailPane } from './detail-pane.js';
import { Rail } from './rail.js';
import { StatusBar } from './status-bar.js';
import './frame.css';

const PAGES: Readonly<Record<Place, () => ReactNode>> = {
  conversation: ConversationPage,
  compose: ComposePage,
  history: HistoryPage,
  tools: ToolsPage,
  health: HealthPage,
  settings: SettingsPage,
};

/** These two ask for calls, and a call needs a folder to work in. */
const NEEDS_WORKSPACE: ReadonlySet<Place> = new Set<Place>(['conversation', 'compose']);

export function Frame() {
  const place = useApp((state) => state.place);
  const workspace = useWorkspace();
  const PlacePage = workspace === null && NEEDS_WORKSPACE.has(place) ? WelcomePage : PAGES[place];
  return (
    <div className="gh-frame">
      <Rail />
      <main className="gh-main">
        <NoticeArea />
        {/* A new workspace is a new beginning for every page. */}
        <div className="gh-place" key={`${place} ${workspace?.path ?? ''}`}>
          <ErrorBoundary what="This page">
            <PlacePage />
          </ErrorBoundary>
        </div>
      </main>
      <DetailPane />
      <StatusBar />
    </div>
  );
}
