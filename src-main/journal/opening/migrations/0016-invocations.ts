import type { Migration } from '../migration.js';

/**
 * What programs asked for over HTTP: by whose id and key, and what they asked for besides. A key is kept as its digest. What is
 * unique is so here, and nowhere else.
 */
export const invocations: Migration = {
  version: 16,
  name: 'invocations',
  up(db) {
    db.exec(`
      CREATE TABLE invocations (
        callId TEXT NOT NULL PRIMARY KEY,
        bearer TEXT NOT NULL,
        agent TEXT NOT NULL,
        tenant TEXT NOT NULL,
        invocationId TEXT NOT NULL,
        keyHash TEXT,
        digest TEXT NOT NULL,
        wanted TEXT NOT NULL,
        claimedAt INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE UNIQUE INDEX invocations_id ON invocations (bearer, agent, tenant, invocationId);
      CREATE UNIQUE INDEX invocations_key ON invocations (bearer, agent, tenant, keyHash) WHERE keyHash IS NOT NULL;
    `);
  },
};
