import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

/** Where people keep their own, and where a confined command has a place of its own. */
const NOT_IN: readonly string[] = [homedir(), '/root', '/home', '/tmp', '/var/tmp'];

/** The project's own folder for such things; where that lies in somebody's home, where a system keeps what it serves. */
const PLACE = [resolve('artifacts'), '/srv'].find(
  (place) => !NOT_IN.some((folder) => place === folder || place.startsWith(`${folder}/`)) && mayMake(place),
);

function mayMake(place: string): boolean {
  try {
    mkdirSync(place, { recursive: true });
    accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether there is a place on this machine that is neither a home nor temporary, and may be written to. */
export const HAS_PLACE_BESIDE = PLACE !== undefined;

/** A new folder on a disk beside every workspace, in nobody's home. It goes with its test. */
export function folderBeside(): string {
  const base = realpathSync(mkdtempSync(join(PLACE ?? '', 'gatehouse-beside-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return base;
}
