import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { JOURNAL_FILE, openReadOnly } from '../opening/connection.js';
import { exportConversation } from '../conversations/export-conversation.js';
import { readConversations, readMessages } from '../conversations/message-pages.js';
import { exportCalls } from './export/export-calls.js';
import { KeptParts } from '../outputs/kept-parts.js';
import { OutputReader } from '../outputs/output-reader.js';
import { pruneOutputs } from '../outputs/output-pruning.js';
import { readSeenAgents } from './queries/agents.js';
import { readChanging } from './queries/changing-calls.js';
import { checkIntegrity } from './queries/counts.js';
import { readDetail } from './queries/detail.js';
import { readHookUses } from './queries/hooks.js';
import { readPage } from './queries/page.js';
import { readAskedBefore, readRuleUses } from './queries/rules.js';
import { readSealedArguments } from './queries/sealed-arguments.js';
import { readSessions } from './queries/sessions.js';
import { readTelemetry } from './queries/telemetry.js';
import { checkChain } from './queries/verify.js';
import type { ReaderRequests } from './reader-protocol.js';

export type ReaderService = {
  readonly [Name in keyof ReaderRequests]: (
    ...args: Parameters<ReaderRequests[Name]>
  ) => ReturnType<ReaderRequests[Name]> | Promise<ReturnType<ReaderRequests[Name]>>;
} & { close(): void };

/** The requests that the reading thread serves, over a connection of its own that cannot write. */
export function createReaderService(dataDir: string): ReaderService {
  const db: Database = openReadOnly(join(dataDir, JOURNAL_FILE));
  const outputs = new OutputReader(db, dataDir);
  const kept = new KeptParts(db, dataDir);
  return {
    page: (query) => readPage(db, query),
    detail: (callId) => readDetail(db, callId),
    changing: (scope) => readChanging(db, scope),
    sessions: (span) => readSessions(db, span),
    checkChain: (places) => runInSteps(checkChain(db, places)),
    sealedArguments: (after) => readSealedArguments(db, after),
    telemetry: (hours, now) => readTelemetry(db, hours, now),
    checkIntegrity: () => checkIntegrity(db),
    export: async (format, filter, file) => {
      await exportCalls(db, format, filter, file);
      return null;
    },
    outputWindow: (place, fromLine, lines) => outputs.window(place, fromLine, lines),
    searchOutput: (place, query, fromLine) => outputs.search(place, query, fromLine),
    keptParts: (callId) => kept.list(callId),
    keptPart: (callId, number) => kept.read(callId, number),
    ruleUses: () => readRuleUses(db),
    hookUses: (last) => readHookUses(db, last),
    seenAgents: () => readSeenAgents(db),
    asked: (among) => readAskedBefore(db, among),
    conversations: (workspace, query) => readConversations(db, workspace, query),
    messages: (id, limit, before) => readMessages(db, id, limit, before),
    exportConversation: async (id, format, file) => {
      await exportConversation(db, id, format, file);
      return null;
    },
    pruneOutputs: (quotaBytes, olderThan) => pruneOutputs(dataDir, quotaBytes, olderThan),
    close: () => {
      db.close();
    },
  };
}

/** Lets other requests in between the steps of a long one. */
async function runInSteps<T>(work: Generator<undefined, T>): Promise<T> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    await new Promise(setImmediate);
  }
}
