import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Where people keep their own, and where a confined command has a place of its own. */
const NOT_IN: readonly string[] = [homedir(), '/root', '/home', '/tmp', '/var/tmp'];

/**
 * A place on a disk beside every workspace: the project's own folder for such things; where that lies in somebody's home,
 * where a system keeps what it serves.
 */
export const PLACE_BESIDE = [resolve('artifacts'), '/srv'].find(
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
