import type { Database } from 'better-sqlite3';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';

/** What the chain says up to an event: of each folder, whether its text was trusted the last time that it was said. */
interface SaidOfFolders {
  readonly seq: number;
  readonly trusted: ReadonlyMap<string, boolean>;
}

/**
 * Holds the folders whose text is trusted against the chain. Where one was said something of since that was walked over, this is
 * no evidence: the next verification tells.
 */
export function checkTrusted(db: Database, { seq, trusted }: SaidOfFolders): AuditVerdict | null {
  const look = db.transaction((): AuditVerdict | null => {
    const since = db.prepare<[number]>(
      `SELECT 1 FROM events WHERE seq > ? AND body ->> 'type' = 'folder-trusted' LIMIT 1`,
    );
    if (since.get(seq) !== undefined) return null;
    const shown = new Set(
      db
        .prepare<[], { readonly workspace: string }>('SELECT workspace FROM trusted_folders')
        .all()
        .map(({ workspace }) => workspace),
    );
    const wrong = [...new Set([...trusted.keys(), ...shown])].find(
      (folder) => (trusted.get(folder) ?? false) !== shown.has(folder),
    );
    if (wrong === undefined) return null;
    const is = shown.has(wrong) ? 'trusted' : 'not trusted any more';
    return { ok: false, firstBad: seq, reason: `The folder “${wrong}” is ${is}, and no event says so.` };
  });
  return look();
}
