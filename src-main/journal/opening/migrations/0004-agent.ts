import type { Migration } from '../migration.js';

/** Whose token or named pipe a batch came with: what an agent may read of the record is chosen by it. */
export const agent: Migration = {
  version: 4,
  name: 'agent',
  up(db) {
    db.exec(`
      ALTER TABLE batches ADD COLUMN agent TEXT;
      CREATE INDEX batches_agent ON batches (agent, id) WHERE agent IS NOT NULL;
    `);
  },
};
