import type { ReactNode } from 'react';
import { Visible } from '../text/visible.js';

export interface RefusalProps {
  readonly text: string | null;
  /** Among other words rather than below them. */
  readonly inline?: boolean;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

/** Why what the person wanted was not done: read out when it comes. */
export function Refusal({ text, inline = false, children }: RefusalProps) {
  if (text === null) return null;
  const Element = inline ? 'span' : 'p';
  return (
    <Element className="gh-field-error" role="alert">
      <Visible text={text} />
      {children === undefined ? null : <> {children}</>}
    </Element>
  );
}
