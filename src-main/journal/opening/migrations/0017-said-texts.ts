import type { Migration } from '../migration.js';

/**
 * What a model is given that is given a call's result: where it comes from, and whether it is private. JSON; '' where that is our own
 * words, null of calls of before and as long as it is not settled. And in which folder a session began is looked up.
 */
export const saidTexts: Migration = {
  version: 17,
  name: 'said-texts',
  up(db) {
    db.exec(`
      ALTER TABLE calls ADD COLUMN said TEXT;
      CREATE INDEX batches_session ON batches (sessionId, id);
    `);
  },
};
