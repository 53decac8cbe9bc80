import { CircleAlert, Info, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../form/button.js';
import { CopyButton } from '../text/copy-button.js';
import { Fold } from '../layout/fold.js';
import './states.css';

export interface NoticeBoxProps {
  readonly severity: 'info' | 'warning' | 'error';
  readonly title: string;
  readonly children?: ReactNode;
  readonly details?: string | null;
  readonly actions?: ReactNode;
  readonly onDismiss?: (() => void) | undefined;
  /** False where it was announced before, and is only shown here. */
  readonly news?: boolean;
}

const ICONS = { info: Info, warning: TriangleAlert, error: CircleAlert } as const;

export function NoticeBox(props: NoticeBoxProps) {
  const { severity, title, children, details, actions, onDismiss, news = true } = props;
  const Icon = ICONS[severity];
  return (
    <div
      className={`gh-notice gh-notice-${severity}`}
      role={news ? (severity === 'error' ? 'alert' : 'status') : 'note'}
    >
      <Icon aria-hidden className="gh-notice-icon" />
      <div className="gh-notice-body">
        <strong className="gh-notice-title">{title}</strong>
        {children === undefined ? null : <div className="gh-notice-text">{children}</div>}
        {details === undefined || details === null ? null : (
          <Fold title="Details">
            <pre className="gh-notice-details">{details}</pre>
            <CopyButton text={details} label="Copy details" />
          </Fold>
        )}
        {actions === undefined ? null : <div className="gh-notice-actions">{actions}</div>}
      </div>
      {onDismiss === undefined ? null : (
        <IconButton label={`Dismiss: ${title}`} size="small" onClick={onDismiss}>
          <X aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
