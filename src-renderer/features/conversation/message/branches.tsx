import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ConversationMessage } from '#contract/vocabulary/conversation/conversation.js';
import { IconButton } from '../../../ui/form/button.js';

export interface BranchesProps {
  readonly branch: ConversationMessage['branch'];
  readonly onShow: (messageId: string) => void;
}

/** The place of this message among its branches, and the way to the others. */
export function Branches({ branch: { at, of, previous, next }, onShow }: BranchesProps) {
  if (of < 2) return null;
  return (
    <span className="gh-branches">
      <IconButton
        label="Previous branch"
        size="small"
        disabled={previous === null}
        onClick={() => (previous === null ? undefined : onShow(previous))}
      >
        <ChevronLeft aria-hidden />
      </IconButton>
      <span className="secondary">
        {at}/{of}
      </span>
      <IconButton
        label="Next branch"
        size="small"
        disabled={next === null}
        onClick={() => (next === null ? undefined : onShow(next))}
      >
        <ChevronRight aria-hidden />
      </IconButton>
    </span>
  );
}
