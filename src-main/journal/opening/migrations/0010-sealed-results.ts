import type { Migration } from '../migration.js';

/**
 * Results whole, sealed, where secrets were taken out of them. And how far what was recorded before this Gatehouse reaches:
 * it may hold secrets in the clear, and the person is offered to have it looked through.
 */
export const sealedResults: Migration = {
  version: 10,
  name: 'sealed-results',
  up(db) {
    db.exec(`
      ALTER TABLE bodies ADD COLUMN sealedResult BLOB;
      INSERT INTO marks (name, value) SELECT 'calls-from-before', max(id) FROM calls HAVING max(id) IS NOT NULL;
    `);
  },
};
