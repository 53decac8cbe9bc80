import type { Failure } from '#contract/vocabulary/outcomes.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { errnoOf, UnsafePathError } from '../handles/unsafe-path-error.js';

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT']);

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder, not a file',
  ENOTDIR: 'a file stands where a folder should be',
  EEXIST: 'something already exists there',
  EIO: 'the disk reported an error',
  EXDEV: 'it lies on another file system',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EFBIG: 'the file would be too large',
};

/** The failure that the call reports for what went wrong at `path`. */
export function failureAt(path: string, error: unknown): ToolFailure {
  if (error instanceof ToolFailure) return error;
  return new ToolFailure(failureOf(path, error));
}

function failureOf(path: string, error: unknown): Failure {
  if (error instanceof UnsafePathError) {
    if (error.reason === 'is-a-directory' || error.reason === 'not-a-directory') {
      return { code: 'ExecutionFailed', message: `Could not change “${path}”: ${error.message}` };
    }
    return { code: 'SandboxViolation', message: `Refused to change “${path}”: ${error.message}`, attempted: path };
  }
  const errno = errnoOf(error);
  if (errno !== null && DISK_FULL.has(errno)) {
    const message = `Could not change “${path}”: the disk is full (${errno}). Free some space and try again.`;
    return { code: 'ResourceExhausted', message, limit: 'disk space' };
  }
  const words = errno === null ? 'something unexpected happened' : `${WORDS[errno] ?? 'the system refused'} (${errno})`;
  return { code: 'ExecutionFailed', message: `Could not change “${path}”: ${words}.` };
}

export function staleFileFailure(path: string): ToolFailure {
  const message = `File content changed since last read: “${path}”. Read it again first.`;
  return new ToolFailure({ code: 'StaleFile', message, file: path });
}

export function alreadyExistsFailure(path: string): ToolFailure {
  return new ToolFailure({ code: 'ExecutionFailed', message: `“${path}” already exists; nothing is overwritten.` });
}

export function hardLinkFailure(path: string, links: number): ToolFailure {
  const message = `Refused to change “${path}”: the file has ${links} names (hard links), and some may lie outside.`;
  return new ToolFailure({ code: 'SandboxViolation', message, attempted: path });
}

/** The folder is another one than was judged, or than a moment ago, though its name may be the same. */
export function movedFolderFailure({ relative }: { readonly relative: string }): ToolFailure {
  const message =
    `Refused to change “${relative}”: it leads somewhere else now than when this was judged ` +
    '(its folder was replaced). Request it again for a new decision.';
  return new ToolFailure({ code: 'SandboxViolation', message, attempted: relative });
}

/** The failure of a call that was let through because it could be undone, when its files can't be kept. */
export const notKeptFailure = (): ToolFailure =>
  new ToolFailure({
    code: 'NoDecision',
    message:
      'This did not run: it was not asked about because it could be undone, and now what it changes would not be kept. ' +
      'Request it again, and the user is asked.',
  });
