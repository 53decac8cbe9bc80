import { statfs } from 'node:fs/promises';
import { KEPT_FREE, KEPT_FREE_OF_SOURCES } from '../../domain/size-bounds.js';

/** How much of a disk is left alone, by what was free before, and how often that is looked at. */
export interface DiskRule {
  readonly least: (freeBefore: number) => number;
  readonly everyMs: number;
}

/** Where there was little left before it, half of that is its to use: what makes room on a full disk can still be run. */
export const COMMAND_DISK_RULE: DiskRule = { least: (free) => Math.min(KEPT_FREE, free / 2), everyMs: 250 };
/**
 * The rule for programs of sources. They run for days and are looked at less often. Where there was less before one, it
 * ends when it halves that.
 */
export const SOURCE_DISK_RULE: DiskRule = {
  least: (free) => (free > KEPT_FREE_OF_SOURCES ? KEPT_FREE_OF_SOURCES : free / 2),
  everyMs: 500,
};

export interface DiskWatchOptions {
  readonly rule: DiskRule;
  /** Folders on the disks that fill up: the workspace’s, and the one with our own data. */
  readonly folders: readonly string[];
  readonly onFull: () => void;
}

/** Says when a command or a program has filled a disk. */
export function watchDisks({ rule, folders, onFull }: DiskWatchOptions): Disposable {
  const leastFree = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;
  let isOver = false;

  async function look(): Promise<void> {
    for (const folder of folders) {
      const free = await freeBytes(folder);
      if (free === null || isOver) continue;
      const least = leastFree.get(folder);
      if (least === undefined) leastFree.set(folder, rule.least(free));
      else if (free < least) {
        isOver = true;
        return onFull();
      }
    }
    // A timer for each look, and no interval: a disk of the network may take its time to answer.
    if (!isOver) timer = setTimeout(() => void look(), rule.everyMs);
  }
  void look();

  return {
    [Symbol.dispose]() {
      isOver = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** The bytes that this user may still write; null where nobody can say. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
