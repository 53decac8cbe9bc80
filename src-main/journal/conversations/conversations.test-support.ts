import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { join } from 'node:path';
import type { JournalOptions } from '../opening/open-journal.js';
import { type ConversationFormat, exportConversation } from './export-conversation.js';
import { JOURNAL_FILE, openReadOnly } from '../opening/connection.js';
import { openServiceReader, openTestJournal, testFolder } from '../writing/journal.test-support.js';
import { readConversations, readMessages } from './message-pages.js';

/** A journal with what was said in it, and the reading side. */
export function openTestConversations(folder = testFolder(), options: Partial<JournalOptions> = {}) {
  const journal = openTestJournal(folder, options);
  const redactor = openTestRedactor();
  const record = journal.conversations(redactor);
  const { service, verify } = openServiceReader(folder);
  const db = openReadOnly(join(folder, JOURNAL_FILE));
  const close = (): void => {
    db.close();
    service.close();
    journal.close();
  };
  const messages = (id: string, limit: number, before: string | null) => readMessages(db, id, limit, before);
  const conversations = (workspace: string, query: string) => readConversations(db, workspace, query);
  const exportTo = (id: string, format: ConversationFormat, file: string) => exportConversation(db, id, format, file);
  return { folder, redactor, export: exportTo, journal, record, messages, conversations, verify, close };
}

export const text = (words: string) => [{ kind: 'text', text: words }] as const;
export const WHOLE = { state: 'whole', failure: null } as const;
