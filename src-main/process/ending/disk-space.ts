import { statfs } from 'node:fs/promises';
import { KEPT_FREE } from '../../domain/size-bounds.js';

const LOOK_EVERY_MS = 250;

export interface DiskWatchOptions {
  /** On the disks that fill up: the workspace’s, and the one with our own data. */
  readonly folders: readonly string[];
  readonly onFull: () => void;
}

/**
 * Says when a command has filled a disk. Where there was little left before it, half of that is its to use: what makes room
 * on a full disk can still be run.
 */
export function watchDisks({ folders, onFull }: DiskWatchOptions): Disposable {
  const leastFree = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;

  async function look(): Promise<void> {
    for (const folder of folders) {
      const free = await freeBytes(folder);
      if (free === null || isOver) continue;
      const least = leastFree.get(folder);
      if (least === undefined) leastFree.set(folder, Math.min(KEPT_FREE, free / 2));
      else if (free < least) {
        isOver = true;
        return onFull();
      }
    }
    // Not by an interval: the disk of a network may take its time to answer.
    if (!isOver) timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  }
  void look();

  return {
    [Symbol.dispose]() {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** What this user may still write; null where nobody can say. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
