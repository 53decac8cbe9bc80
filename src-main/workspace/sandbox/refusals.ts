import { ToolFailure } from '../../domain/tool/tool.js';
import { errnoOf, UnsafePathError } from '../handles/unsafe-path-error.js';

/** The jail's words. Each names the path as it was asked, since that is what the caller knows. */

export const notAPathFailure = (message: string): ToolFailure => new ToolFailure({ code: 'BadArgs', message });

export const outsideFailure = (asked: string, why: string): ToolFailure =>
  new ToolFailure({ code: 'PathOutsideSandbox', attempted: asked, message: `The path “${asked}” is refused: ${why}.` });

export const deniedFailure = (asked: string, pattern: string): ToolFailure =>
  new ToolFailure({
    code: 'DeniedPatternMatched',
    attempted: asked,
    pattern,
    message: `The path “${asked}” is refused: it matches the denied pattern “${pattern}”.`,
  });

export const violationFailure = (asked: string, why: string): ToolFailure =>
  new ToolFailure({ code: 'SandboxViolation', attempted: asked, message: `The path “${asked}” is refused: ${why}.` });

const failed = (message: string): ToolFailure => new ToolFailure({ code: 'ExecutionFailed', message });

const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'goes through a file as if it were a folder',
  EISDIR: 'is a folder, not a file',
  EACCES: 'can’t be opened: permission denied',
  EPERM: 'can’t be opened: the system does not permit it',
  EMFILE: 'can’t be opened: too many files are open',
  ENFILE: 'can’t be opened: too many files are open on this machine',
  EIO: 'can’t be read: the disk reports an error',
  ESTALE: 'is on a share that is gone',
  EBUSY: 'is in use',
};

/** Turns whatever went wrong on the way to a file into the failure that the contract names for it. */
export function toFailure(error: unknown, asked: string): ToolFailure {
  if (error instanceof ToolFailure) return error;
  if (error instanceof UnsafePathError) return refusedByWalk(error, asked);
  const code = errnoOf(error);
  if (code === 'ELOOP') return violationFailure(asked, 'its links go round in a circle');
  if (code === 'ENAMETOOLONG')
    return notAPathFailure(`The path is longer than this system takes (${asked.length} characters).`);
  if (code === 'ENXIO' || code === 'ENODEV') return violationFailure(asked, 'it is a device, pipe or socket');
  const words = code === null ? undefined : SYSTEM_WORDS[code];
  return failed(`“${asked}” ${words ?? `can’t be opened (${code ?? 'unknown error'})`}.`);
}

function refusedByWalk(error: UnsafePathError, asked: string): ToolFailure {
  switch (error.reason) {
    case 'not-a-directory':
      return failed(`“${asked}” is refused: “${error.entry}” is not a folder.`);
    case 'is-a-directory':
      return failed(`“${asked}” is a folder, not a file.`);
    case 'link':
      return violationFailure(asked, `“${error.entry}” became a link after the path was checked`);
    case 'changed':
      return violationFailure(asked, `“${error.entry}” was replaced while it was opened`);
    case 'special':
      return violationFailure(asked, 'it is a device, pipe or socket, not a regular file');
    case 'bad-name':
      return notAPathFailure(`The path “${asked}” is not a path.`);
  }
}
