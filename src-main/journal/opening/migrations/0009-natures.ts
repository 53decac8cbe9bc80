import type { Migration } from '../migration.js';

/** What a tool was when it was called, and what a call left besides its result. Of calls of before neither is recorded apart. */
export const natures: Migration = {
  version: 9,
  name: 'natures',
  up(db) {
    db.exec(`
      ALTER TABLE calls ADD COLUMN nature TEXT;
      ALTER TABLE bodies ADD COLUMN aftermath TEXT;
    `);
  },
};
