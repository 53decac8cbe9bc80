import type { Migration } from '../migration.js';

/** What models were given that the person did not write, by agent and folder; and the folders whose text the person trusts. */
export const givenTexts: Migration = {
  version: 15,
  name: 'given-texts',
  up(db) {
    db.exec(`
      CREATE TABLE given_texts (
        givenTo TEXT NOT NULL,
        workspace TEXT NOT NULL,
        texts TEXT NOT NULL,
        calledAt INTEGER NOT NULL,
        PRIMARY KEY (givenTo, workspace)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE trusted_folders (workspace TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
    `);
  },
};
