import type { Migration } from '../migration.js';

/**
 * Conversations: a tree of messages each, and what comes of an answer while it is written. `streamed` is begun anew: no
 * version before this wrote to it. `begun` and `event` are places in the chain; the latter has the hash of what is shown.
 */
export const conversations: Migration = {
  version: 14,
  name: 'conversations',
  up(db) {
    db.exec(`
      CREATE TABLE conversations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        conversationId TEXT NOT NULL UNIQUE,
        workspace TEXT NOT NULL,
        title TEXT NOT NULL DEFAULT '',
        named INTEGER NOT NULL DEFAULT 0,
        demo INTEGER NOT NULL,
        startedAt INTEGER NOT NULL,
        changedAt INTEGER NOT NULL,
        model TEXT,
        asking TEXT,
        draft TEXT NOT NULL DEFAULT '',
        leaf INTEGER,
        removedAt INTEGER,
        keepDays INTEGER
      ) STRICT;
      CREATE INDEX conversations_workspace ON conversations (workspace, changedAt);

      CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        messageId TEXT NOT NULL UNIQUE,
        conversation INTEGER NOT NULL REFERENCES conversations (id),
        parent INTEGER,
        role TEXT NOT NULL,
        at INTEGER NOT NULL,
        state TEXT NOT NULL,
        content TEXT NOT NULL,
        failure TEXT,
        foot TEXT,
        begun INTEGER NOT NULL,
        event INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX messages_parent ON messages (conversation, parent);
      CREATE INDEX messages_streaming ON messages (id) WHERE state = 'streaming';

      CREATE TABLE given_results (
        callId TEXT PRIMARY KEY,
        conversation INTEGER NOT NULL REFERENCES conversations (id),
        letters TEXT,
        folding TEXT NOT NULL DEFAULT 'none'
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX given_results_conversation ON given_results (conversation);

      CREATE VIRTUAL TABLE messages_text USING fts5 (
        said, content = '', contentless_delete = 1, detail = full, tokenize = 'unicode61 remove_diacritics 2'
      );

      DROP TABLE streamed;
      CREATE TABLE streamed (
        message INTEGER NOT NULL REFERENCES messages (id),
        block INTEGER NOT NULL,
        piece INTEGER NOT NULL,
        kind TEXT NOT NULL,
        requestId TEXT,
        tool TEXT,
        text TEXT NOT NULL,
        PRIMARY KEY (message, block, piece)
      ) STRICT, WITHOUT ROWID;
    `);
  },
};
