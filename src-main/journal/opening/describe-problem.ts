import Database from 'better-sqlite3';

/** Whether the disk or the database failed, rather than what was asked of it. */
export function isStorageError(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return readErrno(error) !== null || isClosed(error);
  return !error.code.startsWith('SQLITE_CONSTRAINT') && error.code !== 'SQLITE_ERROR' && error.code !== 'SQLITE_MISUSE';
}

/** The system's own code, when a file could not be made or written. */
function readErrno(error: unknown): string | null {
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

function isClosed(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('not open');
}

export function isCorrupt(error: unknown): boolean {
  return (
    error instanceof Database.SqliteError &&
    (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB' || error.code === 'SQLITE_FORMAT')
  );
}

export function isLocked(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(?:BUSY|LOCKED)/u.test(error.code);
}

/** Words a problem for a person: what is wrong, where, and what to do. */
export function describeProblem(error: unknown, file: string): string {
  const code = error instanceof Database.SqliteError ? error.code : (readErrno(error) ?? '');
  const message = error instanceof Error ? error.message : String(error);
  const prefix = `Nothing can be recorded in ${file}`;
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT')
    return `${prefix}: the disk is full. Free some space and Gatehouse continues. Nothing recorded so far is lost.`;
  if (code.startsWith('SQLITE_READONLY') || ['EACCES', 'EPERM', 'EROFS', 'SQLITE_CANTOPEN'].includes(code)) {
    return `${prefix}: it can't be written (${message}). Check the folder's permissions and that the disk is not read-only.`;
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return `${prefix}: the disk reports an error (${code.slice('SQLITE_'.length).toLowerCase()}). Check the disk; Gatehouse continues when it works again.`;
  }
  if (isCorrupt(error)) {
    return `${prefix}: the journal is damaged. Start Gatehouse again: it keeps the damaged journal next to a new one.`;
  }
  if (isLocked(error)) return `${prefix}: another program is using it. Close other programs that use this data folder.`;
  return `${prefix}: ${message.replace(/\.$/u, '')}.`;
}
