import { describeStep } from '#contract/vocabulary/call-labels.js';
import type { LifecycleEventView } from '#contract/vocabulary/calls.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import { formatDuration, formatFull, formatWhen } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';

export interface TimelineProps {
  readonly events: readonly LifecycleEventView[];
  readonly nature: Nature | null;
}

/** Every step of a call with its time, and its place in the audit chain. */
export function Timeline({ events, nature }: TimelineProps) {
  return (
    <ol className="gh-timeline">
      {events.map((event, index) => {
        const before = events[index - 1];
        return (
          <li key={event.seq}>
            <span className="gh-timeline-dot" aria-hidden />
            <time dateTime={new Date(event.at).toISOString()} title={formatFull(event.at)}>
              {formatWhen(event.at)}
            </time>
            <span title={event.rule === undefined ? undefined : `Rule: ${event.rule}`}>
              {event.note === null ? describeStep(event.state, nature) : <Visible text={event.note} />}
              <span className="secondary"> {event.type === 'hook' ? formatDuration(event.ms) : event.state}</span>
            </span>
            <span className="secondary gh-timeline-after">
              {before === undefined ? '' : `+${formatDuration(Math.max(0, event.at - before.at))}`}
            </span>
            <code className="gh-timeline-hash" title={`Entry ${event.seq} of the audit chain: ${event.hash}`}>
              {event.hash.slice(0, 8)}
            </code>
          </li>
        );
      })}
    </ol>
  );
}
