import type { ReactNode } from 'react';
import './states.css';

export interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly icon?: ReactNode;
  /** The next step: one or two buttons. */
  readonly actions?: ReactNode;
}

export function EmptyState({ title, children, icon, actions }: EmptyStateProps) {
  return (
    <div className="gh-empty">
      {icon === undefined ? null : (
        <div className="gh-empty-icon" aria-hidden>
          {icon}
        </div>
      )}
      <h2>{title}</h2>
      {children === undefined ? null : <div className="gh-empty-text">{children}</div>}
      {actions === undefined ? null : <div className="gh-empty-actions">{actions}</div>}
    </div>
  );
}
