import { watch } from 'chokidar';

/** Editors save in several steps (write beside, rename over); one reading after the last is enough. */
const SETTLE_MS = 60;
/** What never settles is read all the same, so often. */
const LONGEST_MS = 500;

export interface WatchedFiles {
  readonly ready: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Follows files that may be missing, be replaced, or have a folder that is missing. */
export function watchFiles(paths: readonly string[], onChange: () => void): WatchedFiles {
  const watcher = watch([...paths], { ignoreInitial: true, atomic: true, followSymlinks: false });
  let timer: NodeJS.Timeout | undefined;
  let first: number | null = null;
  watcher.on('all', () => {
    clearTimeout(timer);
    first ??= performance.now();
    const left = Math.max(0, first + LONGEST_MS - performance.now());
    timer = setTimeout(
      () => {
        first = null;
        onChange();
      },
      Math.min(SETTLE_MS, left),
    );
  });
  // A file system that can't be watched is read at the next start or change of settings.
  watcher.on('error', () => undefined);
  return {
    ready: new Promise((resolve) => watcher.once('ready', () => resolve())),
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
