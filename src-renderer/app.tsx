import { Tooltip } from '@base-ui/react/tooltip';
import { type ReactNode, useEffect } from 'react';
import type { WindowPage } from '#contract/window/app-events.js';
import { reloadWindow } from './bridge/reload-window.js';
import { ask } from './bridge/use-request.js';
import { ApprovalDock } from './features/approval/dock/approval-dock.js';
import { ActivityPage } from './features/activity/activity-page.js';
import { VerifyAudit } from './features/audit/verify-audit.js';
import { AskingSwitch } from './features/asking/asking-switch.js';
import { AskingQuestion } from './features/asking/asking-question.js';
import { AgentsPage } from './features/agents/agents-page.js';
import { GatewaySwitch } from './features/agents/gateway-switch.js';
import { ComposePage } from './features/compose/compose-page.js';
import { ConversationPage } from './features/conversation/conversation-page.js';
import { FolderQuestion } from './features/folder-question/folder-question.js';
import { Connecting } from './features/frame/connecting.js';
import { Frame } from './features/frame/frame.js';
import { QuestionDialog } from './features/frame/question-dialog.js';
import { HealthPage } from './features/health/health-page.js';
import { HistoryPage } from './features/history/history-page.js';
import { InstructionsHere } from './features/instructions/instructions-offer.js';
import { NoticeArea } from './features/notices/notice-area.js';
import { CommandPalette } from './features/palette/command-palette.js';
import { RecoveryDialog } from './features/recovery/recovery-dialog.js';
import { RulesPage } from './features/rules/rules-page.js';
import { RunningStrip } from './features/running/running-strip.js';
import { ServerQuestion } from './features/server-question/server-question.js';
import { SHOWN_SETTINGS } from './features/settings/setting-labels.js';
import { SettingsPage } from './features/settings/settings-page.js';
import { ToolsPage } from './features/tools/tools-page.js';
import { WelcomePage } from './features/welcome/welcome-page.js';
import { useApp } from './store/app.js';
import { ErrorBoundary } from './ui/notice/error-boundary.js';
import { CopyContext } from './ui/text/copy-button.js';

const copyText = (text: string): Promise<boolean> => ask('app.copyText', { text }).then(({ ok }) => ok);

/** The features know nothing of each other: what one shows of another it is given here. */
const PAGES: Readonly<Record<WindowPage, ReactNode>> = {
  activity: <ActivityPage howToAsk={<AskingQuestion />} />,
  conversation: <ConversationPage instructions={<InstructionsHere />} />,
  compose: <ComposePage />,
  history: <HistoryPage verifyAudit={<VerifyAudit />} />,
  tools: <ToolsPage />,
  agents: <AgentsPage />,
  rules: <RulesPage />,
  health: <HealthPage verifyAudit={<VerifyAudit />} />,
  settings: <SettingsPage gatewaySwitch={<GatewaySwitch />} howItAsks={<AskingSwitch />} />,
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
        <Frame
          pages={PAGES}
          welcome={<WelcomePage howToAsk={<AskingQuestion />} />}
          notices={<NoticeArea />}
          strip={
            <ErrorBoundary what="What runs now">
              <RunningStrip />
            </ErrorBoundary>
          }
          dock={
            <ErrorBoundary what="The approval sheet" onReload={reloadWindow}>
              <ApprovalDock
                first={
                  <ErrorBoundary what="The question about a folder" onReload={reloadWindow}>
                    <FolderQuestion />
                  </ErrorBoundary>
                }
              />
            </ErrorBoundary>
          }
        />
        <ErrorBoundary what="The recovery dialog">
          <RecoveryDialog />
        </ErrorBoundary>
        <ErrorBoundary what="What a server asks">
          <ServerQuestion />
        </ErrorBoundary>
        <CommandPalette settings={SHOWN_SETTINGS} />
        <QuestionDialog />
      </Tooltip.Provider>
    </CopyContext>
  );
}
