import { Collapsible } from '@base-ui/react/collapsible';
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import './fold.css';

export interface FoldProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly defaultOpen?: boolean;
}

/** A fold for content that most people don't need, one press away. The content is built only when it opens. */
export function Fold({ title, children, open, onOpenChange, defaultOpen = false }: FoldProps) {
  return (
    <Collapsible.Root
      className="gh-fold"
      defaultOpen={defaultOpen}
      {...(open === undefined ? {} : { open })}
      {...(onOpenChange === undefined ? {} : { onOpenChange })}
    >
      <Collapsible.Trigger className="gh-fold-trigger">
        <ChevronRight aria-hidden className="gh-fold-arrow" />
        {title}
      </Collapsible.Trigger>
      <Collapsible.Panel className="gh-fold-panel">{children}</Collapsible.Panel>
    </Collapsible.Root>
  );
}
