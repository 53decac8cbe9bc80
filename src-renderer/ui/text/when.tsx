import { useSyncExternalStore } from 'react';
import { formatAgo, formatFull } from './format.js';

const TICK = 10_000;
const listeners = new Set<() => void>();
let timer: number | null = null;

/** Follows one clock for all that is on the page; there is none while nothing follows it. */
function follow(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    for (const each of listeners) each();
  }, TICK);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

const tick = (): number => Math.floor(Date.now() / TICK);

/** How long ago something was, with the exact time in its title. */
export function When({ at, className }: { readonly at: number; readonly className?: string | undefined }) {
  const now = useSyncExternalStore(follow, tick) * TICK;
  return (
    <time className={className} dateTime={new Date(at).toISOString()} title={formatFull(at)}>
      {formatAgo(at, now)}
    </time>
  );
}
