import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryHandle } from '../platform/safe-fs/directory-handle.js';
import { isAlive, processFacts } from './proc-table.js';
import { textOf } from './system-files.js';

/**
 * The app's folder among the system's temporary files, for itself alone (0700). Its name says whose it is, so that a
 * later start can clear away what a killed app could not: “gatehouse-run-<place>-<pid>-<start time>-<random>”.
 */
export const makePrivateFolder = async (): Promise<string> =>
  mkdtemp(join(tmpdir(), `gatehouse-run-${place()}-${process.pid}-${processFacts(process.pid)?.startTicks ?? '0'}-`));

const NAME = /^gatehouse-run-([0-9a-f]{8})-([1-9]\d*)-(\d+)-[0-9A-Za-z]{6}$/u;
const PRIVATE = 0o700;

/**
 * Removes the folders of apps that are gone, with the files whose names `isOurs` knows. A folder that is somebody
 * else's, open to others, or a link is left, and so is one that holds anything else: it is entered by its handle and no
 * link is followed, so a folder that is swapped meanwhile loses nothing.
 */
export async function clearAbandonedFolders(isOurs: (name: string) => boolean): Promise<void> {
  await using temporary = await DirectoryHandle.openRoot(await realpath(tmpdir()));
  for await (const entries of temporary.entries()) {
    for (const { name } of entries) {
      const [, at, pid, startTicks] = NAME.exec(name) ?? [];
      if (at !== place() || !isGone(Number(pid), startTicks ?? '')) continue;
      // Another start may be clearing too, or it is not ours to clear: either way it is nothing to stop for.
      await clear(temporary, name, isOurs).catch(() => undefined);
    }
  }
}

async function clear(temporary: DirectoryHandle, name: string, isOurs: (name: string) => boolean): Promise<void> {
  await using folder = await temporary.openChild(name);
  const { uid, mode } = await folder.status();
  if (uid !== process.getuid?.() || mode !== PRIVATE) return;
  for await (const entries of folder.entries()) {
    for (const entry of entries) if (isOurs(entry.name)) await folder.unlink(entry.name);
  }
  await temporary.rmdir(name);
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

let known: string | undefined;

/** A pid means something on one machine and in one pid namespace only; temporary files can be shared by several. */
function place(): string {
  known ??= createHash('sha256')
    .update(`${textOf('/etc/machine-id') ?? hostname()}\n`)
    .update(linkOf('/proc/self/ns/pid') ?? '')
    .digest('hex')
    .slice(0, 8);
  return known;
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
