import { Tooltip } from '@base-ui/react/tooltip';
import { type ReactNode, useEffect } from 'react';
import type { Place } from '#contract/window/app-events.js';
import { ask } from './bridge/use-request.js';
import { ApprovalSheet } from './features/approval/sheet/approval-sheet.js';
import { VerifyAudit } from './features/audit/verify-audit.js';
import { ComposePage } from './features/compose/compose-page.js';
import { ConnectSection } from './features/connect/connect-section.js';
import { ConversationPage } from './features/conversation/conversation-page.js';
import { Connecting } from './features/frame/connecting.js';
import { Frame } from './features/frame/frame.js';
import { QuestionDialog } from './features/frame/question-dialog.js';
import { HealthPage } from './features/health/health-page.js';
import { HistoryPage } from './features/history/history-page.js';
import { NoticeArea } from './features/notices/notice-area.js';
import { RecoveryDialog } from './features/recovery/recovery-dialog.js';
import { SettingsPage } from './features/settings/settings-page.js';
import { ToolsPage } from './features/tools/tools-page.js';
import { WelcomePage } from './features/welcome/welcome-page.js';
import { useApp } from './store/app.js';
import { ErrorBoundary } from './ui/notice/error-boundary.js';
import { CopyContext } from './ui/text/copy-button.js';

const copyText = (text: string): Promise<boolean> => ask('app.copyText', { text }).then(({ ok }) => ok);

/** The features know nothing of each other: what one shows of another it is given here. */
const PAGES: Readonly<Record<Place, ReactNode>> = {
  conversation: <ConversationPage />,
  compose: <ComposePage />,
  history: <HistoryPage verifyAudit={<VerifyAudit />} />,
  tools: <ToolsPage />,
  health: <HealthPage verifyAudit={<VerifyAudit />} />,
  settings: <SettingsPage connect={<ConnectSection />} />,
};

export function App() {
  const theme = useApp((state) => state.app.status.theme);
  const ready = useApp((state) => state.connection.phase === 'ready');

  useEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === 'system') delete dataset['theme'];
    else dataset['theme'] = theme;
  }, [theme]);

  if (!ready) return <Connecting />;
  return (
    <CopyContext value={copyText}>
      <Tooltip.Provider delay={500}>
        <Frame pages={PAGES} welcome={<WelcomePage />} notices={<NoticeArea />} />
        <ErrorBoundary what="The approval sheet">
          <ApprovalSheet />
        </ErrorBoundary>
        <ErrorBoundary what="The recovery dialog">
          <RecoveryDialog />
        </ErrorBoundary>
        <QuestionDialog />
      </Tooltip.Provider>
    </CopyContext>
  );
}
