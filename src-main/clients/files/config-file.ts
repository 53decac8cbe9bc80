import { createHash } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../../platform/files/small-file.js';

/** A client's settings file as it is. */
export interface ConfigFile {
  /** The path as it is called. */
  readonly path: string;
  /** The path that it leads to, which is read and replaced. Another than `path` where there is a link on the way. */
  readonly real: string;
  /** Null where there is none yet. */
  readonly bytes: Buffer | null;
  readonly text: string;
  /** The file whose owner and mode it gets, where that is another. */
  readonly rightsOf?: string;
}

export type OpenedFile =
  { readonly ok: true; readonly file: ConfigFile } | { readonly ok: false; readonly problem: string };

const MAX_BYTES = 8 * 1024 * 1024;
const NEW_FILE_MODE = 0o600;
const NEW_FOLDER_MODE = 0o700;

export function openConfigFile(path: string): OpenedFile {
  const refuse = (problem: string): OpenedFile => ({ ok: false, problem: `${path} ${problem}` });
  try {
    const real = resolveRealPath(path);
    if (real === null) return refuse('is a link that leads nowhere. Gatehouse leaves it alone.');
    const found = statOrNull(real);
    if (found === null) return { ok: true, file: { path, real, bytes: null, text: '' } };
    if (!found.isFile()) return refuse('is not a file.');
    if (found.size > MAX_BYTES) return refuse('is larger than 8 MB, which no settings are.');
    const bytes = readFileSync(real);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ok: true, file: { path, real, bytes, text } };
  } catch (error) {
    if (error instanceof TypeError) return refuse('is not text in UTF-8.');
    return refuse(`can’t be read: ${describeError(error)}.`);
  }
}

/** The digest of a file as it was shown: where it leads, and every byte. */
export const digestConfigFile = ({ real, bytes }: ConfigFile): string =>
  createHash('sha256')
    .update(JSON.stringify([real, bytes === null]))
    .update(bytes ?? '')
    .digest('hex');

/**
 * Replaces the file that `seen` was with `bytes`, wholly or not at all, with its owner and its rights; null takes it
 * away. Null when it is done, or why not: a file that is another by now is not replaced.
 */
export function replaceConfigFile(seen: ConfigFile, bytes: Uint8Array | null): string | null {
  try {
    const folder = dirname(seen.real);
    mkdirSync(folder, { recursive: true, mode: NEW_FOLDER_MODE });
    const temporary = bytes === null ? null : writeTemporary(folder, seen, bytes);
    try {
      // As late as can be: between this look and the rename nobody is kept out, but nothing else happens either.
      if (!isUnchanged(seen)) return `${seen.path} has changed meanwhile. Nothing was written.`;
      if (temporary === null) rmSync(seen.real);
      // A link does not replace: what came meanwhile in the place of nothing stays.
      else if (seen.bytes === null) linkSync(temporary, seen.real);
      else renameSync(temporary, seen.real);
    } finally {
      if (temporary !== null) rmSync(temporary, { force: true });
    }
    syncFolder(folder);
    return null;
  } catch (error) {
    return `${seen.path} can’t be written: ${describeError(error)}. Nothing was changed.`;
  }
}

/** The path of the copy that is kept beside a file as it was before Gatehouse first changed it. */
export const getBackupPath = (path: string): string => `${path}.before-gatehouse`;

/** Keeps a copy of a file beside it, with its mode; the first stays. Null when there is one, or why not. */
export function keepBackup({ path, real, bytes }: ConfigFile): string | null {
  if (bytes === null) return null;
  const found = openConfigFile(getBackupPath(path));
  if (!found.ok) return found.problem;
  return found.file.bytes === null ? replaceConfigFile({ ...found.file, rightsOf: real }, bytes) : null;
}

function isUnchanged(seen: ConfigFile): boolean {
  const now = openConfigFile(seen.path);
  return now.ok && digestConfigFile(now.file) === digestConfigFile(seen);
}

/** Resolves where a path leads, the file itself being there or not. Null where a link leads nowhere. */
function resolveRealPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  if (lstatOrNull(path)?.isSymbolicLink() === true) return null;
  const folder = dirname(path);
  if (folder === path) return path;
  const above = resolveRealPath(folder);
  return above === null ? null : join(above, basename(path));
}

function writeTemporary(folder: string, seen: ConfigFile, bytes: Uint8Array): string {
  const temporary = join(folder, `.${basename(seen.real)}.${process.pid}.gatehouse`);
  rmSync(temporary, { force: true });
  const handle = openSync(temporary, 'wx', NEW_FILE_MODE);
  try {
    const before = statOrNull(seen.rightsOf ?? seen.real);
    if (before !== null) keepOwner(handle, before);
    for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at);
    fsyncSync(handle);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  return temporary;
}

function keepOwner(handle: number, { uid, gid, mode }: Stats): void {
  if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
  fchmodSync(handle, mode & 0o7777);
}

const statOrNull = (path: string): Stats | null => orNull(() => statSync(path));
const lstatOrNull = (path: string): Stats | null => orNull(() => lstatSync(path));

function orNull(look: () => Stats): Stats | null {
  try {
    return look();
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
};
const describeError = (error: unknown): string => (error instanceof Error ? error.message : String(error));
