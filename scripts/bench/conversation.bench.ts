import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { readHistoryParts } from '../../src-main/conversation/history/history-parts.js';
import { fitHistory, isFitted } from '../../src-main/conversation/capacity/capacity.js';
import type { ConversationEvent } from '../../src-main/domain/conversation/conversation-events.js';
import type { Redactor } from '../../src-main/domain/ports/redactor.js';
import { readMessages } from '../../src-main/journal/conversations/message-pages.js';
import { type Compare, timed } from './harness.js';
import { emptyFolder, openBenchJournal, openBenchReader } from './journal-fill.js';

const MESSAGES = 10_000;
const PAGE = 50;
const AT_ONCE = 500;
const SAID = 'What the parser does with a trailing comma, and why the lexer keeps it. '.repeat(12);

/** A long conversation opened: the part of it that is done before the window can draw. */
export async function run(compare: Compare): Promise<void> {
  const folder = emptyFolder('conversation');
  const journal = openBenchJournal(folder);
  const record = journal.conversations(NOTHING_SECRET);
  const { id } = record.begin('/home/someone/project', false);
  await fill(id);
  const bare = new Database(join(folder, 'journal.db'), { readonly: true });
  const rows = bare.prepare('SELECT * FROM messages ORDER BY id DESC LIMIT ?');
  const middle = record.branch(id)[MESSAGES / 2]?.id ?? '';
  const floor = { name: 'bare rows of it', sample: () => timed(() => rows.all(PAGE + 1)) };
  const reader = openBenchReader(folder);

  await compare({
    name: `The newest ${PAGE} of ${MESSAGES.toLocaleString('en')} messages, read`,
    unit: 'ms',
    subject: { name: 'page of a branch', sample: () => timed(() => expectWhole(readMessages(bare, id, PAGE, null))) },
    peer: floor,
    goal: { atMost: 8 },
  });
  await compare({
    name: `${PAGE} messages from the middle of ${MESSAGES.toLocaleString('en')}, read`,
    unit: 'ms',
    subject: { name: 'page of a branch', sample: () => timed(() => expectWhole(readMessages(bare, id, PAGE, middle))) },
    peer: floor,
    goal: { atMost: 8 },
  });
  await compare({
    name: `The same, asked of the reading thread, against the 200 ms in which the window is to draw`,
    unit: 'ms',
    subject: {
      name: 'reading thread',
      sample: () => timed(async () => expectWhole(await reader.messages(id, PAGE, null))),
    },
    peer: { name: 'a tenth of it', sample: () => 20 },
    goal: { atMost: 1 },
  });
  const all = bare.prepare('SELECT * FROM messages ORDER BY id');
  await compare({
    name: `A history of ${MESSAGES.toLocaleString('en')} messages, made and measured`,
    unit: 'ms',
    subject: {
      name: 'history, fitted',
      sample: () =>
        timed(() => {
          const kept = readHistoryParts(record, id, () => randomBytes(1)[0] ?? 0);
          const fitted = fitHistory(kept, { system: '', tools: [] }, LIMITS, { alternating: true });
          if (!isFitted(fitted) || fitted.history.length < MESSAGES) throw new Error('no history');
        }),
    },
    peer: { name: 'bare rows of all', sample: () => timed(() => all.all()) },
    samples: 10,
    goal: { atMost: 12 },
  });
  await reader.close();
  bare.close();
  journal.close();

  async function fill(conversationId: string): Promise<void> {
    let parent = (await record.addPersonMessage(conversationId, [{ kind: 'text', text: SAID }])).id;
    for (let from = 1; from < MESSAGES; from += AT_ONCE)
      journal.append(
        Array.from({ length: Math.min(AT_ONCE, MESSAGES - from) }, (_, offset): readonly ConversationEvent[] => {
          const made = from + offset;
          const messageId = `m-${made}`;
          const before = parent;
          parent = messageId;
          if (made % 2 === 0)
            return [
              {
                type: 'message-added',
                conversationId,
                messageId,
                parent: before,
                parts: [{ kind: 'text', text: SAID }],
              },
            ];
          return [
            { type: 'answer-begun', conversationId, messageId, parent: before, model: 'a model' },
            {
              type: 'answer-ended',
              conversationId,
              messageId,
              blocks: [{ kind: 'text', text: SAID }],
              end: { state: 'whole', failure: null },
              foot: null,
            },
          ];
        }).flat(),
      );
  }
}

const LIMITS = { contextTokens: 100_000_000, reserveTokens: 0, maxOutputTokens: 8192 };

/** What is filled in goes past it: nothing is to be taken out, and nothing of it is measured. */
const NOTHING_SECRET = {
  text: (value: string) => ({ value, count: 0 }),
  textLater: (value: string) => Promise.resolve({ value, count: 0 }),
} as unknown as Redactor;

function expectWhole({ messages }: { readonly messages: readonly unknown[] }): void {
  if (messages.length !== PAGE) throw new Error(`${messages.length} messages instead of ${PAGE}`);
}
