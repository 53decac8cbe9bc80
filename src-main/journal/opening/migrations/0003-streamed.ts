import type { Migration } from '../migration.js';

/** Tool calls that a model is still writing: kept until they are received as calls, so that a crash between loses none. */
export const streamed: Migration = {
  version: 3,
  name: 'streamed',
  up(db) {
    db.exec(`
      CREATE TABLE streamed (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        messageId TEXT NOT NULL,
        requestId TEXT NOT NULL,
        sessionId TEXT NOT NULL,
        tool TEXT NOT NULL,
        text TEXT NOT NULL,
        notedAt INTEGER NOT NULL,
        UNIQUE (messageId, requestId)
      ) STRICT;
    `);
  },
};
