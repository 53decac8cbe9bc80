import type { Migration } from '../migration.js';

/**
 * What foreign files hold, so that a copy is known by its bytes: of each file as the last call left it, and of all of
 * them together until the person looked at it. The SHA-256 is empty where the size alone is known.
 */
export const foreignContents: Migration = {
  version: 19,
  name: 'foreign-contents',
  up(db) {
    db.exec(`
      ALTER TABLE foreign_files ADD COLUMN size INTEGER;
      ALTER TABLE foreign_files ADD COLUMN sha256 TEXT;
      CREATE TABLE foreign_contents (
        size INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        PRIMARY KEY (size, sha256)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
