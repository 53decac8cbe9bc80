import type { Migration } from '../migration.js';

/** For whom a batch was asked, and which token or pipe it came with. Of batches of before neither is known. */
export const asker: Migration = {
  version: 7,
  name: 'asker',
  up(db) {
    db.exec(`
      ALTER TABLE batches ADD COLUMN tenant TEXT;
      ALTER TABLE batches ADD COLUMN user TEXT;
      ALTER TABLE batches ADD COLUMN credential TEXT;
    `);
  },
};
