import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PLACE_BESIDE } from './place-beside.test-support.js';

/** Whether there is a place on this machine that is neither a home nor temporary, and may be written to. */
export const HAS_PLACE_BESIDE = PLACE_BESIDE !== undefined;

/** A new folder on a disk beside every workspace, in nobody's home. It goes with its test. */
export function folderBeside(): string {
  const base = realpathSync(mkdtempSync(join(PLACE_BESIDE ?? '', 'gatehouse-beside-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  return base;
}
