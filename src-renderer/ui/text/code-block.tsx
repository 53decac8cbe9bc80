import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';
import { FOCUSABLE } from '../style/focusable.js';
import './code-block.css';

export interface CodeBlockProps {
  readonly text: string;
  readonly label: string;
  readonly wrap?: boolean;
  readonly copy?: boolean;
  readonly maxHeight?: number;
}

/** Text as it is: never parsed, never coloured as if it were ours. */
export function CodeBlock({ text, label, wrap = true, copy = true, maxHeight = 320 }: CodeBlockProps) {
  return (
    <div className="gh-code-frame">
      <section aria-label={label} {...FOCUSABLE} className="gh-code-scroll" style={{ maxHeight }}>
        <pre className={wrap ? 'gh-code gh-code-wrap' : 'gh-code'}>{text}</pre>
      </section>
      {copy ? (
        <span className="gh-code-copy">
          <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} iconOnly />
        </span>
      ) : null}
    </div>
  );
}

/** A path, an id, a short piece of code within a line. */
export const Mono = ({ children }: { readonly children: ReactNode }) => <code className="gh-mono">{children}</code>;
