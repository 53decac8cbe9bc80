import { unpatchedFs } from '../../platform/files/unpatched-fs.js';

/** No clock of a file system in use has longer ticks. */
const TICK_NS = 50_000_000n;

/**
 * Whether a time of change is long enough ago to stand for what was found there after it was read: one that is nearer may
 * be that of a later change too, since the clock of a file system has ticks.
 */
export const isSettled = (changedNs: bigint): boolean => BigInt(Date.now()) * 1_000_000n - changedNs > TICK_NS;

/**
 * File systems known to update a folder's time of change at every change of its names: ext, XFS, Btrfs, tmpfs, overlay,
 * F2FS, ZFS.
 */
const HONEST_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1,
]);

/** Whether a folder's time of change tells there that a name came or went. */
export function hasHonestTimes(root: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return HONEST_FILE_SYSTEMS.has(unpatchedFs.statfsSync(root).type);
  } catch {
    return false;
  }
}
