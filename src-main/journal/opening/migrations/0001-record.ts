import type { Migration } from '../migration.js';

/**
 * The record itself. `events` is the audit chain and is never changed; `batches`, `calls` and `bodies` are its
 * projection, written in the same transaction. Bodies are apart from calls so that lists do not read results.
 *
 * An event's body may only be erased (retention), and then names the event that says so: its hash stays, and with it
 * the chain.
 */
export const record: Migration = {
  version: 1,
  name: 'record',
  up(db) {
    db.exec(`
      CREATE TABLE marks (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

      CREATE TABLE batches (
        id INTEGER PRIMARY KEY,
        batchId TEXT NOT NULL UNIQUE,
        door TEXT NOT NULL,
        client TEXT,
        sessionId TEXT NOT NULL,
        workspace TEXT NOT NULL,
        mode TEXT NOT NULL,
        receivedAt INTEGER NOT NULL,
        discarded INTEGER NOT NULL DEFAULT 0,
        closed INTEGER NOT NULL DEFAULT 0
      ) STRICT;
      CREATE INDEX batches_open ON batches (id) WHERE closed = 0;

      CREATE TABLE calls (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        callId TEXT NOT NULL UNIQUE,
        batch INTEGER NOT NULL REFERENCES batches (id),
        position INTEGER NOT NULL,
        requestId TEXT,
        tool TEXT NOT NULL,
        toolId TEXT,
        toolVersion TEXT,
        sideEffecting INTEGER NOT NULL,
        inputHash TEXT NOT NULL,
        state TEXT NOT NULL,
        settled INTEGER NOT NULL,
        awaiting TEXT,
        summary TEXT NOT NULL,
        risk TEXT,
        capabilities TEXT NOT NULL,
        timeoutMs INTEGER,
        attempts INTEGER NOT NULL,
        outcome TEXT,
        code TEXT,
        reason TEXT,
        startedAt INTEGER NOT NULL,
        executingSince INTEGER,
        durationMs REAL,
        confinement TEXT,
        pid INTEGER,
        startTicks TEXT,
        mark TEXT,
        hasChanges INTEGER NOT NULL,
        hasOutput INTEGER NOT NULL,
        cpuMs REAL,
        peakMemoryBytes INTEGER,
        undoes TEXT,
        undoneBy TEXT
      ) STRICT;
      CREATE INDEX calls_batch ON calls (batch, position);
      CREATE INDEX calls_unsettled ON calls (id) WHERE settled = 0;
      CREATE INDEX calls_tool ON calls (tool, id);
      -- Settled calls only: an index over every state would be rewritten with every step of every call.
      CREATE INDEX calls_state ON calls (state, id) WHERE settled = 1;
      CREATE INDEX calls_started ON calls (startedAt);

      CREATE TABLE bodies (
        call INTEGER PRIMARY KEY REFERENCES calls (id),
        arguments TEXT NOT NULL,
        originalArguments TEXT,
        failure TEXT,
        result TEXT,
        structured TEXT,
        outputBytes INTEGER NOT NULL DEFAULT 0,
        outputBytesLeftOut INTEGER NOT NULL DEFAULT 0,
        storedOutputs TEXT NOT NULL DEFAULT '[]',
        changedFiles TEXT NOT NULL DEFAULT '[]'
      ) STRICT;

      CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        call INTEGER,
        body TEXT,
        hash BLOB NOT NULL,
        erasedHash BLOB,
        erasedBy INTEGER
      ) STRICT;
      CREATE INDEX events_call ON events (call) WHERE call IS NOT NULL;

      CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
      BEGIN SELECT RAISE(ABORT, 'audit events are never deleted'); END;

      CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
      WHEN NOT (
        OLD.body IS NOT NULL AND NEW.body IS NULL AND NEW.erasedHash IS NOT NULL AND NEW.erasedBy IS NOT NULL
        AND NEW.seq = OLD.seq AND NEW.call IS OLD.call AND NEW.hash = OLD.hash
      )
      BEGIN SELECT RAISE(ABORT, 'audit events are never changed'); END;

      CREATE TRIGGER events_only_grow BEFORE INSERT ON events
      WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM events)
      BEGIN SELECT RAISE(ABORT, 'audit events are only added at the end'); END;
    `);
  },
};
