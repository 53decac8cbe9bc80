import { watch } from 'chokidar';

/** Editors save in several steps (write beside, rename over); one reading after the last is enough. */
const SETTLE_MS = 60;

export interface WatchedFiles {
  readonly ready: Promise<void>;
  readonly close: () => Promise<void>;
}

/** Follows files that may be missing, be replaced, or have a folder that is missing. */
export function watchFiles(paths: readonly string[], onChange: () => void): WatchedFiles {
  const watcher = watch([...paths], { ignoreInitial: true, atomic: true, followSymlinks: false });
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, SETTLE_MS);
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
