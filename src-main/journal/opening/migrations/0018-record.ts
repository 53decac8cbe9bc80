import type { Migration } from '../migration.js';

/** The call that a call repeats, as its failure says; null for most. The index is found by these very words. */
export const REPEAT_OF = `json_extract(failure, '$.repeatOf')`;

/**
 * The rules of the person that let a call run, as its event says, and that they did. The index is found by these very
 * words.
 */
export const LET_RUN_BY = `json_extract(body, '$.details.rule')`;
export const IS_LET_RUN = `json_extract(body, '$.details.by') = 'standing-confirmation'`;

/**
 * The first: the whole record. What wrote a version below this one was never released.
 *
 * `events` is the audit chain and is never changed; all else is its projection, written in the same transaction. Bodies are
 * apart from calls so that lists do not read results. The last event of each commit carries a signature (`mac`), so that
 * nothing can be added to the end without the key. An event's body may only be erased (retention), and then names the event that
 * says so: its hash and its signature stay, and with them the chain.
 */
export const record: Migration = {
  version: 18,
  name: 'record',
  up(db) {
    db.exec(CALLS);
    db.exec(EVENTS);
    db.exec(SEARCH);
    db.exec(CONVERSATIONS);
    db.exec(GIVEN);
    db.exec(INVOCATIONS);
  },
};

/**
 * Batches and calls. The `agent` of a batch is whose token or named pipe it came with: what an agent may read of the
 * record is chosen by it.
 */
const CALLS = `
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
    closed INTEGER NOT NULL DEFAULT 0,
    agent TEXT,
    tenant TEXT,
    user TEXT,
    credential TEXT
  ) STRICT;
  CREATE INDEX batches_open ON batches (id) WHERE closed = 0;
  CREATE INDEX batches_agent ON batches (agent, id) WHERE agent IS NOT NULL;
  CREATE INDEX batches_workspace ON batches (workspace, id);
  CREATE INDEX batches_session ON batches (sessionId, id);

  -- \`said\`: what a model is given that is given the call's result: where it comes from, and whether it is private. JSON; '' where
  -- that is our own words, null as long as it is not settled.
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
    undoneBy TEXT,
    redactions INTEGER NOT NULL DEFAULT 0,
    nature TEXT,
    decidedBy TEXT,
    exitCode INTEGER,
    linesAdded INTEGER,
    linesRemoved INTEGER,
    said TEXT
  ) STRICT;
  CREATE INDEX calls_batch ON calls (batch, position);
  CREATE INDEX calls_unsettled ON calls (id) WHERE settled = 0;
  CREATE INDEX calls_tool ON calls (tool, id);
  -- Settled calls only: an index over every state would be rewritten with every step of every call.
  CREATE INDEX calls_state ON calls (state, id) WHERE settled = 1;
  CREATE INDEX calls_started ON calls (startedAt);
  -- Without what asked for a name that no tool has.
  CREATE INDEX calls_tool_id ON calls (toolId, id) WHERE toolId IS NOT NULL;

  -- \`sealed\`, \`sealedResult\`: arguments and result whole, where secrets were taken out of them.
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
    changedFiles TEXT NOT NULL DEFAULT '[]',
    sealed BLOB,
    aftermath TEXT,
    sealedResult BLOB
  ) STRICT;
  CREATE INDEX bodies_repeats ON bodies (${REPEAT_OF}) WHERE ${REPEAT_OF} IS NOT NULL;
`;

const EVENTS = `
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    call INTEGER,
    body TEXT,
    hash BLOB NOT NULL,
    erasedHash BLOB,
    erasedBy INTEGER,
    mac BLOB
  ) STRICT;
  CREATE INDEX events_call ON events (call) WHERE call IS NOT NULL;
  CREATE INDEX events_by_rule ON events (${LET_RUN_BY}, call) WHERE ${IS_LET_RUN};

  CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  BEGIN SELECT RAISE(ABORT, 'audit events are never deleted'); END;

  CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
  WHEN NOT (
    OLD.body IS NOT NULL AND NEW.body IS NULL AND NEW.erasedHash IS NOT NULL AND NEW.erasedBy IS NOT NULL
    AND NEW.seq = OLD.seq AND NEW.call IS OLD.call AND NEW.hash = OLD.hash AND NEW.mac IS OLD.mac
  )
  BEGIN SELECT RAISE(ABORT, 'audit events are never changed'); END;

  CREATE TRIGGER events_only_grow BEFORE INSERT ON events
  WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM events)
  BEGIN SELECT RAISE(ABORT, 'audit events are only added at the end'); END;
`;

/**
 * Words only (contentless), and only of redacted text, so that a secret can neither be found by search nor read out of the
 * index.
 */
const SEARCH = `
  CREATE VIRTUAL TABLE calls_text USING fts5 (
    tool, arguments, result, files, reason,
    content = '', contentless_delete = 1, detail = full, tokenize = 'unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE messages_text USING fts5 (
    said, content = '', contentless_delete = 1, detail = full, tokenize = 'unicode61 remove_diacritics 2'
  );
`;

/**
 * A tree of messages each, and what comes of an answer while it is written (`streamed`). `begun` and `event` are places in the
 * chain; the latter has the hash of what is shown.
 */
const CONVERSATIONS = `
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
`;

/**
 * Texts that models were given and the person did not write, by agent and folder; the folders whose text the person
 * trusts; and files that a call wrote which may hold what somebody else said, until the person looks through them.
 */
const GIVEN = `
  CREATE TABLE given_texts (
    givenTo TEXT NOT NULL,
    workspace TEXT NOT NULL,
    texts TEXT NOT NULL,
    calledAt INTEGER NOT NULL,
    PRIMARY KEY (givenTo, workspace)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE trusted_folders (workspace TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE foreign_files (
    workspace TEXT NOT NULL,
    path TEXT NOT NULL,
    callId TEXT NOT NULL,
    PRIMARY KEY (workspace, path)
  ) STRICT, WITHOUT ROWID;
`;

/**
 * Requests of programs over HTTP: by whose id and key, and what they asked for besides. A key is kept as its digest.
 * What is unique is so here, and nowhere else.
 */
const INVOCATIONS = `
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
`;
