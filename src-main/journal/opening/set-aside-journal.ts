import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const DAMAGE_MARK_FILE = 'journal.damaged';

/** A journal that was found damaged and put aside, for the person to be told. */
export interface SetAsideJournal {
  readonly folder: string;
  readonly reason: string;
}

/** Puts a damaged journal aside at the next start: under a running app it must stay where it is. */
export function markDamaged(dataDir: string, reason: string): void {
  writeFileSync(join(dataDir, DAMAGE_MARK_FILE), reason, { mode: 0o600 });
}

export function readDamageMark(dataDir: string): string | null {
  try {
    return readFileSync(join(dataDir, DAMAGE_MARK_FILE), 'utf8');
  } catch {
    return null;
  }
}

/** Never deletes: the database, what belongs to it and the signed head move together. */
export function setAsideJournal(dataDir: string, file: string, reason: string, now: number): SetAsideJournal {
  const folder = findFreeFolder(join(dataDir, 'damaged'), new Date(now).toISOString().replaceAll(':', '-'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of [file, `${file}-wal`, `${file}-shm`, join(dataDir, 'audit-head.json')]) {
    if (existsSync(name)) renameSync(name, join(folder, basename(name)));
  }
  writeFileSync(join(folder, 'why.txt'), `${reason}\n`, { mode: 0o600 });
  rmSync(join(dataDir, DAMAGE_MARK_FILE), { force: true });
  return { folder, reason };
}

function findFreeFolder(parent: string, name: string): string {
  for (let n = 1; ; n += 1) {
    const folder = join(parent, n === 1 ? `journal-${name}` : `journal-${name}-${n}`);
    if (!existsSync(folder)) return folder;
  }
}
