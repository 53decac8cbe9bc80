import { indexText } from '../../writing/search-text.js';
import type { Migration } from '../migration.js';

/**
 * Full-text search over settled calls. The index keeps words only (contentless), and only of redacted text, so that
 * a secret can neither be found by search nor read out of the index.
 */
export const search: Migration = {
  version: 2,
  name: 'search',
  up(db, redact) {
    db.exec(`
      CREATE VIRTUAL TABLE calls_text USING fts5 (
        tool, arguments, result, files, reason,
        content = '', contentless_delete = 1, detail = full, tokenize = 'unicode61 remove_diacritics 2'
      );
    `);
    const rows = db.prepare<[number], IndexedRow>(
      `SELECT c.id, c.tool, c.summary, c.reason, b.arguments, b.result, b.changedFiles
       FROM calls c JOIN bodies b ON b.call = c.id WHERE c.settled = 1 AND c.id > ? ORDER BY c.id LIMIT 500`,
    );
    const insert = db.prepare(
      'INSERT INTO calls_text (rowid, tool, arguments, result, files, reason) VALUES (?, ?, ?, ?, ?, ?)',
    );
    for (let after = 0, page = rows.all(after); page.length > 0; page = rows.all(after)) {
      for (const row of page) {
        insert.run(row.id, ...indexText(row, redact));
        after = row.id;
      }
    }
  },
};

interface IndexedRow {
  readonly id: number;
  readonly tool: string;
  readonly summary: string;
  readonly reason: string | null;
  readonly arguments: string;
  readonly result: string | null;
  readonly changedFiles: string;
}
