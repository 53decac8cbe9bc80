import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import './popup.css';

export interface TooltipProps {
  readonly content: ReactNode;
  /** The element that it explains; must be focusable, so that keyboards reach it. */
  readonly children: ReactElement<Record<string, unknown>>;
  readonly side?: 'top' | 'right' | 'bottom' | 'left';
}

export function Tooltip({ content, children, side = 'top' }: TooltipProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner className="gh-positioner" side={side} sideOffset={6}>
          <Base.Popup className="gh-tooltip">{content}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
