import { Tooltip } from '@base-ui/react/tooltip';
import { useEffect } from 'react';
import { ask } from './bridge/use-request.js';
import { ApprovalSheet } from './features/approval/approval-sheet.js';
import { Connecting } from './features/frame/connecting.js';
import { Frame } from './features/frame/frame.js';
import { QuestionDialog } from './features/frame/question-dialog.js';
import { RecoveryDialog } from './features/recovery/recovery-dialog.js';
import { useApp } from './store/app.js';
import { ErrorBoundary } from './ui/notice/error-boundary.js';
import { CopyContext } from './ui/text/copy-button.js';

const copyText = (text: string): Promise<boolean> => ask('app.copyText', { text }).then(({ ok }) => ok);

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
        <Frame />
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
