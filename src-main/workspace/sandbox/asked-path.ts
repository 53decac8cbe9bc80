import { isAbsolute } from 'node:path';
import type { ToolFailure } from '../../domain/tool/tool.js';
import { notAPathFailure, outsideFailure, violationFailure } from './refusals.js';

const MAX_PATH_BYTES = 4096;

/**
 * Steps 1 and 2 of seed 002 §3.5.2, and that it is a path at all. Both kinds of slash separate here, on every system, so
 * that a call means the same everywhere; a name with a backslash that is no step up stays a name where the system has it.
 */
export function checkAskedPath(path: string, allowAbsolute: boolean, platform = process.platform): void {
  checkIsPath(path);
  if (!allowAbsolute && looksAbsolute(path)) throw absolutePathFailure(path);
  if (path.split(/[\\/]/).includes('..')) throw outsideFailure(path, 'it has “..” in it');
  if (platform === 'win32') refuseWindowsNames(path);
}

/** Refuses what is no path at all. */
export function checkIsPath(path: string): void {
  if (path.trim() === '') throw notAPathFailure('The path is blank.');
  if (path.includes('\0')) throw notAPathFailure('The path has a NUL character in it.');
  if (!path.isWellFormed()) throw notAPathFailure('The path is not valid Unicode.');
  if (Buffer.byteLength(path) >= MAX_PATH_BYTES) {
    throw notAPathFailure(`The path is longer than this system takes (${path.length} characters).`);
  }
}

/** `relative`: what the same path is called from the workspace, where it is in it. */
export const absolutePathFailure = (path: string, relative: string | null = null): ToolFailure =>
  outsideFailure(
    path,
    relative === null
      ? 'absolute paths are not allowed; name it from the workspace'
      : `absolute paths are not allowed; from the workspace it is “${relative}”`,
  );

/** Names that lead elsewhere than they look: devices in every folder, and streams that are a second name for a file. */
function refuseWindowsNames(path: string): void {
  const names = path.replace(/^[A-Za-z]:(?=[\\/])/, '').split(/[\\/]/);
  if (names.some((name) => name.includes(':'))) throw notAPathFailure(`The path “${path}” has a colon in it.`);
  const device = names.find((name) =>
    /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])[ .]*(?:\..*)?$/i.test(name),
  );
  if (device !== undefined) throw violationFailure(path, `“${device}” is the name of a device`);
}

const looksAbsolute = (path: string): boolean =>
  isAbsolute(path) || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('\\\\');
