import { createHash } from 'node:crypto';
import { constants, lstatSync, readlinkSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { ClearAbandonedFolders } from '../../domain/ports/workspace/clear-abandoned-folders.js';
import { isAlive, processFacts } from '../ending/proc-table.js';
import { readTextOrNull } from '../environment/system-files.js';

/**
 * The app's folder for itself alone (0700): where the system keeps such things for one person while they are logged in, and
 * else among the temporary files, which somebody may clear away under us. Its name says whose it is, so that a later start
 * can clear away what a killed app could not: “gatehouse-run-<place>-<pid>-<start time>-<random>”.
 */
export async function makePrivateFolder(): Promise<string> {
  const name = `gatehouse-run-${machineId()}-${process.pid}-${processFacts(process.pid)?.startTicks ?? '0'}-`;
  const [best, ...others] = parentFolders();
  const made = mkdtemp(join(best, name));
  return others.length === 0 ? made : made.catch(() => mkdtemp(join(tmpdir(), name)));
}

/** Where folders are made, the best place first. */
function parentFolders(): readonly [string, ...string[]] {
  const own = process.env['XDG_RUNTIME_DIR'] ?? '';
  return isAbsolute(own) && isOurs(own) ? [own, tmpdir()] : [tmpdir()];
}

/** Whether it is there, and nobody else’s: a folder that was cleared away may be somebody else’s by now. */
export function isOurs(folder: string): boolean {
  try {
    const { uid, mode } = lstatSync(folder);
    return uid === process.getuid?.() && mode === (constants.S_IFDIR | PRIVATE);
  } catch {
    return false;
  }
}

const NAME = /^gatehouse-run-([0-9a-f]{8})-([1-9]\d*)-(\d+)-[0-9A-Za-z]{6}$/u;
const PRIVATE = 0o700;

/** Removes the folders of apps that are gone, with the files whose names `isFileOfOurs` knows. */
export async function clearAbandonedFolders(
  clear: ClearAbandonedFolders,
  isFileOfOurs: (name: string) => boolean,
): Promise<void> {
  for (const folder of parentFolders()) await clear(folder, isAbandoned, isFileOfOurs);
}

function isAbandoned(name: string): boolean {
  const [, at, pid, startTicks] = NAME.exec(name) ?? [];
  return at === machineId() && isGone(Number(pid), startTicks ?? '');
}

/** When in doubt it is not: a pid that cannot be told from another's is taken for the app's. */
function isGone(pid: number, startTicks: string): boolean {
  const facts = processFacts(pid);
  if (facts !== null) return facts.startTicks !== startTicks || !isAlive(facts);
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

let cachedMachineId: string | undefined;

/** A pid means something on one machine and in one pid namespace only; temporary files can be shared by several. */
function machineId(): string {
  cachedMachineId ??= createHash('sha256')
    .update(`${readTextOrNull('/etc/machine-id') ?? hostname()}\n`)
    .update(linkOf('/proc/self/ns/pid') ?? '')
    .digest('hex')
    .slice(0, 8);
  return cachedMachineId;
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
