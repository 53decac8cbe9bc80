import { CSPProvider } from '@base-ui/react/csp-provider';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { reportFault, reportUncaught } from './bridge/faults.js';
import { reloadWindow } from './bridge/reload-window.js';
import { ErrorBoundary } from './ui/notice/error-boundary.js';
import './styles/tokens.css';
import './styles/base.css';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root to draw in');

reportUncaught();

// The policy forbids inline styles, so primitives must not write any; base.css holds the little they need.
createRoot(root, {
  onCaughtError: (error, { componentStack }) => reportFault('drawing', error, componentStack),
  onUncaughtError: (error, { componentStack }) => reportFault('drawing', error, componentStack),
}).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <ErrorBoundary what="The window" onReload={reloadWindow}>
        <App />
      </ErrorBoundary>
    </CSPProvider>
  </StrictMode>,
);
