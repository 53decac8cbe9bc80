import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, useEffect, useMemo } from 'react';
import type { ConversationMessage } from '#contract/vocabulary/conversation/conversation.js';
import { Button } from '../../../ui/form/button.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { FOCUSABLE } from '../../../ui/style/focusable.js';
import type { LiveThread, ThreadState } from './live-thread.js';
import { useStickToEnd } from './use-stick-to-end.js';
import './thread.css';

/** The height of most messages, roughly. */
const ESTIMATE = 120;
const OVERSCAN = 6;
/** Older ones are read before their place comes into sight. */
const READ_AHEAD = 8;

export interface ThreadViewProps {
  readonly state: ThreadState;
  readonly thread: LiveThread;
  /** Whether it is being added to: screen readers are told when it is finished. */
  readonly busy: boolean;
  readonly draw: (message: ConversationMessage, before: ConversationMessage | null, isLast: boolean) => ReactNode;
  readonly empty: ReactNode;
}

const NONE: readonly ConversationMessage[] = [];

/**
 * A thread of any number of messages, of which those in sight are drawn. It opens at its end, and follows it as long as
 * one is there.
 */
export function ThreadView({ state, thread, busy, draw, empty }: ThreadViewProps) {
  const { scroller, atEnd, toEnd, onScroll } = useStickToEnd();
  const read = state.thread?.messages ?? NONE;
  const more = state.thread?.more === true;
  // The speaker before the first message that was read is not known yet: it is drawn once that is, and then as it
  // stays.
  const messages = useMemo(() => (more ? read.slice(1) : read), [read, more]);
  const before = more ? (read[0] ?? null) : null;
  const count = messages.length;
  // oxlint-disable-next-line react/incompatible-library -- nothing memoized below is given what the virtualizer returns
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATE,
    overscan: OVERSCAN,
    getItemKey: (index) => messages[index]?.id ?? index,
    // Messages added before the visible ones do not move them.
    anchorTo: 'end',
  });
  const height = virtual.getTotalSize();

  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  useEffect(() => {
    const list = scroller.current;
    // The list is at its beginning until it has gone to its end.
    const away = !atEnd || (list !== null && list.scrollHeight < 2 * list.clientHeight);
    if (more && away && first < READ_AHEAD) void thread.readOlder();
  }, [first, more, thread, count, atEnd, scroller]);

  return (
    <div className="gh-thread">
      <div
        ref={scroller}
        className="gh-thread-scroller"
        role="log"
        aria-label="Conversation"
        aria-live="polite"
        aria-busy={busy}
        onScroll={onScroll}
        {...FOCUSABLE}
      >
        {state.error === null ? null : (
          <Problem title="The conversation can’t be read" error={state.error} onRetry={() => void thread.reload()} />
        )}
        {state.thread === null && state.error === null ? <Skeleton label="Reading the conversation" /> : null}
        {state.thread !== null && count === 0 ? empty : null}
        <div className="gh-thread-room" style={{ height }}>
          {items.map((item) => {
            const message = messages[item.index];
            return message === undefined ? null : (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className="gh-thread-row"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {draw(message, messages[item.index - 1] ?? before, item.index === count - 1)}
              </div>
            );
          })}
        </div>
      </div>
      {count === 0 || atEnd ? null : (
        <span className="gh-thread-end">
          <Button size="small" icon={<ArrowDown aria-hidden />} onClick={toEnd}>
            Go to the end
          </Button>
        </span>
      )}
    </div>
  );
}
