import type { Migration } from '../migration.js';

/**
 * How many secrets were blotted out of a call, and its arguments whole, sealed, where there were some. What was recorded
 * before stays as it was.
 */
export const redactions: Migration = {
  version: 6,
  name: 'redactions',
  up(db) {
    db.exec(`
      ALTER TABLE calls ADD COLUMN redactions INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE bodies ADD COLUMN sealed BLOB;
    `);
  },
};
