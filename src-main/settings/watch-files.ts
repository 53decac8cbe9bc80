import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ChokidarOptions, FSWatcher } from 'chokidar';
import { createDebouncer } from '../platform/timing/debouncer.js';

/**
 * The quiet time after which files are read. Editors save in several steps (write beside, rename over); one reading
 * after the last is enough.
 */
const SETTLE_MS = 60;
/** The longest wait: files that never settle are read all the same, so often. */
const MAX_DELAY_MS = 500;

export interface WatchedFiles {
  readonly ready: Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Follows files that may be missing, be replaced, or have a folder that is missing. The person's own is in a folder
 * that stays, and in which the journal writes all the time: nothing else in there is looked at. For a missing file the
 * whole folder would be read, at each of those writes.
 */
export function watchFiles(persons: string, others: readonly string[], onChange: () => void): WatchedFiles {
  const folder = dirname(persons);
  const { changed, end } = createDebouncer(SETTLE_MS, MAX_DELAY_MS, onChange);
  let closed = false;
  // Loaded when there is something to follow: a window is open before that.
  const opened = import('chokidar').then(({ watch }) => {
    const options = { ignoreInitial: true, atomic: true, followSymlinks: false } as const;
    const ignored = (path: string): boolean => path !== folder && path !== persons;
    const watchers: FSWatcher[] = [];
    const follow = (paths: readonly string[], more: ChokidarOptions = {}): Promise<void> => {
      const watcher = watch([...paths], { ...options, ...more });
      watchers.push(watcher);
      watcher.on('all', (event, path) => {
        // Once the folder is another one, the file that comes in its place is followed by name.
        if (path === folder && event === 'unlinkDir' && !closed) void follow([persons]);
        changed();
      });
      // A file system that can't be watched is read at the next start or change of settings.
      watcher.on('error', () => undefined);
      return new Promise((resolve) => watcher.once('ready', () => resolve()));
    };
    const isThere = existsSync(folder);
    const ready = [follow(isThere ? others : [persons, ...others])];
    if (isThere) ready.push(follow([folder], { depth: 0, ignored }));
    return { watchers, ready: Promise.all(ready) };
  });
  return {
    ready: opened.then(async ({ ready }) => void (await ready)),
    close: async () => {
      closed = true;
      const { watchers } = await opened;
      await Promise.all(watchers.map((watcher) => watcher.close()));
      end();
    },
  };
}
