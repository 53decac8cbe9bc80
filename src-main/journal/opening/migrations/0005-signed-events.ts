import type { Migration } from '../migration.js';

/**
 * The last event of each commit carries a signature (`mac`), so that nothing can be added to the end without the key.
 * Events of before have none. Erasing a body leaves the signature as it is: it is of the hash.
 */
export const signedEvents: Migration = {
  version: 5,
  name: 'signed-events',
  up(db) {
    db.exec(`
      ALTER TABLE events ADD COLUMN mac BLOB;

      DROP TRIGGER events_are_never_changed;
      CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
      WHEN NOT (
        OLD.body IS NOT NULL AND NEW.body IS NULL AND NEW.erasedHash IS NOT NULL AND NEW.erasedBy IS NOT NULL
        AND NEW.seq = OLD.seq AND NEW.call IS OLD.call AND NEW.hash = OLD.hash AND NEW.mac IS OLD.mac
      )
      BEGIN SELECT RAISE(ABORT, 'audit events are never changed'); END;
    `);
  },
};
