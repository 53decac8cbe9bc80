import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import './popup.css';

export interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly children: ReactNode;
  readonly side?: 'top' | 'bottom';
  readonly align?: 'start' | 'end';
}

export function Menu({ trigger, children, side = 'bottom', align = 'start' }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="gh-positioner" side={side} align={align} sideOffset={4}>
          <Base.Popup className="gh-popup gh-menu">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export interface MenuItemProps {
  readonly onSelect: () => void;
  readonly icon?: ReactNode;
  readonly hint?: ReactNode;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

export function MenuItem({ onSelect, icon, hint, disabled = false, children }: MenuItemProps) {
  return (
    <Base.Item className="gh-option" onClick={onSelect} disabled={disabled}>
      <span className="gh-option-mark">{icon}</span>
      <span className="gh-option-text">{children}</span>
      {hint === undefined ? null : <span className="gh-option-hint">{hint}</span>}
    </Base.Item>
  );
}

export const MenuSeparator = () => <Base.Separator className="gh-separator" />;
