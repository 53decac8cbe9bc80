import { reconnect, useApp } from '../../store/app.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import './frame.css';

/** The view before the first snapshot: nothing for a moment, then what it waits for, or why it can't go on. */
export function Connecting() {
  const connection = useApp((state) => state.connection);
  return (
    <main className="gh-connecting">
      {connection.phase === 'failed' ? (
        <Problem title="The window can’t reach the app" error={connection.error} onRetry={reconnect} />
      ) : (
        <Skeleton label="Starting" lines={3} />
      )}
    </main>
  );
}
