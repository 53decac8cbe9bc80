import type { Migration } from '../migration.js';

/**
 * What a model is given that is given a call's result: where it comes from, and whether it is private. JSON; '' where that is our own
 * words, null of calls of before and as long as it is not settled. In which folder a session began is looked up. And
 * files that a call wrote which may hold what somebody else said, until the person looks through them.
 */
export const saidTexts: Migration = {
  version: 17,
  name: 'said-texts',
  up(db) {
    db.exec(`
      ALTER TABLE calls ADD COLUMN said TEXT;
      CREATE TABLE foreign_files (
        workspace TEXT NOT NULL,
        path TEXT NOT NULL,
        callId TEXT NOT NULL,
        PRIMARY KEY (workspace, path)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX batches_session ON batches (sessionId, id);
    `);
  },
};
