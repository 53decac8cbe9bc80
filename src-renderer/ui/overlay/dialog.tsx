import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';
import { joinClassNames } from '../style/join-class-names.js';
import './dialog.css';

export interface DialogProps {
  readonly open: boolean;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** The row of buttons; the way out is first. */
  readonly foot?: ReactNode;
  /** Handles Escape and a click outside. Without it the dialog only closes by an answer. */
  readonly onDismiss?: () => void;
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly size?: 'small' | 'medium' | 'large';
  readonly className?: string;
}

/** A modal dialog: focus goes into it and comes back, what lies behind is inert. */
export function Dialog(props: DialogProps) {
  const { open, title, description, children, foot, onDismiss, initialFocus, size = 'small', className } = props;
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => {
        if (!next) onDismiss?.();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="gh-backdrop" />
        <Base.Popup
          className={joinClassNames('gh-dialog', `gh-dialog-${size}`, className)}
          {...(initialFocus === undefined ? {} : { initialFocus })}
        >
          <header className="gh-dialog-head">
            <Base.Title className="gh-dialog-title">{title}</Base.Title>
            {description === undefined ? null : (
              <Base.Description render={<div />} className="gh-dialog-description">
                {description}
              </Base.Description>
            )}
          </header>
          {children === undefined ? null : <div className="gh-dialog-body">{children}</div>}
          {foot === undefined ? null : <footer className="gh-dialog-foot">{foot}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
