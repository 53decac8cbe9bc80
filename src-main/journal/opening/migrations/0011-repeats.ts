import type { Migration } from '../migration.js';

/** Of which call one is a repeat, as its failure says; null for most. The index is found by these very words. */
export const REPEAT_OF = `json_extract(failure, '$.repeatOf')`;

/** How often a call came again after it was denied is counted when it is shown. */
export const repeats: Migration = {
  version: 11,
  name: 'repeats',
  up(db) {
    db.exec(`CREATE INDEX bodies_repeats ON bodies (${REPEAT_OF}) WHERE ${REPEAT_OF} IS NOT NULL`);
  },
};
