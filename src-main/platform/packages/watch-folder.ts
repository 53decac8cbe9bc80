import type { FSWatcher } from 'chokidar';
import { createDebouncer } from '../timing/debouncer.js';

/** The quiet time before a changed package is read: whoever changes a package changes several files. */
const SETTLE_MS = 250;
const MAX_WAIT_MS = 2000;

/** Follows a folder with all that is in it. */
export function watchFolder(
  folder: string,
  onChange: () => void,
): { readonly ready: Promise<void>; readonly close: () => Promise<void> } {
  const { changed, end } = createDebouncer(SETTLE_MS, MAX_WAIT_MS, onChange);
  let closed = false;
  const opened: Promise<FSWatcher> = import('chokidar').then(({ watch }) =>
    watch(folder, { ignoreInitial: true, atomic: true, followSymlinks: false }),
  );
  const ready = opened.then(
    (watcher) =>
      new Promise<void>((resolve) => {
        watcher.on('all', () => {
          if (!closed) changed();
        });
        // A folder that can't be watched is read at the next start.
        watcher.on('error', () => undefined);
        watcher.once('ready', () => {
          // The folder may have changed between its reading and now.
          changed();
          resolve();
        });
      }),
  );
  return {
    ready,
    close: async () => {
      closed = true;
      end();
      await (await opened).close();
    },
  };
}
