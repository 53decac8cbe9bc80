import type { Migration } from '../migration.js';

/** Who decided, how a command ended, and how many lines came and went. Of calls of before none is recorded apart. */
export const whatCameOfIt: Migration = {
  version: 13,
  name: 'what-came-of-it',
  up(db) {
    db.exec(`
      ALTER TABLE calls ADD COLUMN decidedBy TEXT;
      ALTER TABLE calls ADD COLUMN exitCode INTEGER;
      ALTER TABLE calls ADD COLUMN linesAdded INTEGER;
      ALTER TABLE calls ADD COLUMN linesRemoved INTEGER;
      CREATE INDEX batches_workspace ON batches (workspace, id);
    `);
  },
};
