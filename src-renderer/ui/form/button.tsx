import type { ComponentProps, ReactNode } from 'react';
import { joinClassNames } from '../style/join-class-names.js';
import { Tooltip } from '../overlay/tooltip.js';
import './button.css';

export interface ButtonProps extends ComponentProps<'button'> {
  /** `primary` for the one way forward, `danger` for what can't be taken back, `quiet` for what is beside the matter. */
  readonly tone?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly icon?: ReactNode;
  readonly size?: 'normal' | 'small';
}

export function Button({ tone = 'plain', size = 'normal', icon, className, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={joinClassNames('gh-button', `gh-button-${tone}`, size === 'small' && 'gh-button-small', className)}
    >
      {icon}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Omit<ButtonProps, 'aria-label' | 'icon' | 'children'> {
  /** The button's accessible name. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A button with an icon. Its name shows as a tooltip, for the pointer and for the keyboard. */
export function IconButton({ label, children, className, tone = 'quiet', ...rest }: IconButtonProps) {
  return (
    <Tooltip content={label}>
      <Button aria-label={label} tone={tone} className={joinClassNames('gh-icon-button', className)} {...rest}>
        {children}
      </Button>
    </Tooltip>
  );
}
