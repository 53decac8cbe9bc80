import { open, rename, rm } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import type { CallDetail } from '#contract/vocabulary/calls.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { PersonPart, StoredBlock, StoredMessage } from '../../domain/conversation/message.js';
import { fenced, inline } from '../reading/export/markdown.js';
import { readDetail } from '../reading/queries/detail.js';
import { redactForRecord } from '../writing/redaction.js';
import {
  PLACED_SELECT,
  type PlacedMessageRow,
  SUMMARY_SELECT,
  type SummaryRow,
  toConversation,
  toMessage,
} from './conversation-rows.js';
import { readBranch } from './message-pages.js';

export type ConversationFormat = 'markdown' | 'json';

/**
 * Markdown has the branch that is shown; JSON has every message, and which of them are shown. Calls stand with what they
 * were asked, gave and ended as. Secrets and personal data are out; the file appears whole or not at all, readable by this
 * person only.
 */
export async function exportConversation(
  db: Database,
  id: string,
  format: ConversationFormat,
  file: string,
): Promise<void> {
  const row = db
    .prepare<[string], SummaryRow>(`${SUMMARY_SELECT} WHERE c.conversationId = ? AND c.removedAt IS NULL`)
    .get(id);
  if (row === undefined) throw new Error('There is no such conversation any more.');
  const text = format === 'json' ? toJsonExport(db, row) : toMarkdownExport(db, row);
  const partial = `${file}.part`;
  try {
    const handle = await open(partial, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function toJsonExport(db: Database, row: SummaryRow): string {
  const messages = db
    .prepare<[number], PlacedMessageRow>(`${PLACED_SELECT} WHERE m.conversation = ? ORDER BY m.id`)
    .all(row.id);
  const { draft: _draft, ...conversation } = toConversation(row);
  const whole = {
    ...conversation,
    shown: readBranch(db, row.leaf).map(({ messageId }) => messageId),
    messages: messages.map((each) => addCallDetails(db, toMessage(each))),
  };
  return `${JSON.stringify(redactForRecord(whole as unknown as Json).value, null, 2)}\n`;
}

function addCallDetails(db: Database, { conversationId: _of, said, ...message }: StoredMessage) {
  if (said.by === 'person') return { ...message, ...said };
  const blocks = said.blocks.map((block) => {
    if (block.kind !== 'call') return block.kind === 'reasoning' ? { kind: block.kind, text: block.text } : block;
    const { kept: _kept, ...call } = block;
    return { ...call, recorded: findCall(db, block) };
  });
  return { ...message, ...said, blocks };
}

function toMarkdownExport(db: Database, row: SummaryRow): string {
  const about = [`- **Folder:** ${inline(row.workspace)}`, `- **Begun:** ${new Date(row.startedAt).toISOString()}`];
  const messages = readBranch(db, row.leaf).flatMap((each) => messageLines(db, toMessage(each)));
  return [`# ${inline(cleanText(row.title))}`, about.join('\n'), ...messages, ''].join('\n\n');
}

function messageLines(db: Database, { at, said }: StoredMessage): readonly string[] {
  const when = new Date(at).toISOString();
  if (said.by === 'person') return [`## You, ${when}`, ...said.parts.map(partLines)];
  const { end, foot } = said;
  const ended = end.failure?.message ?? END_WORDS[end.state];
  return [
    `## ${foot === null ? 'The model' : inline(foot.model)}, ${when}`,
    ...said.blocks.flatMap((block) => blockLines(db, block)),
    ...(ended === null ? [] : [`*${inline(cleanText(ended))}*`]),
  ];
}

function partLines(part: PersonPart): string {
  switch (part.kind) {
    case 'picture':
      return `*A picture (${inline(part.mediaType)})*`;
    case 'text':
      return cleanText(part.text);
    case 'file':
      return `**${inline(part.path)}**\n\n${fenced(cleanText(part.text), '')}`;
    case 'resource': {
      const named = `**${inline(cleanText(part.name))}** of ${inline(part.source)} (${inline(cleanText(part.uri))})`;
      const pictures = part.pictures.map(({ mediaType }) => `*A picture (${inline(mediaType)})*`);
      return [named, ...(part.text === '' ? [] : [fenced(cleanText(part.text), '')]), ...pictures].join('\n\n');
    }
  }
}

const END_WORDS: Readonly<Record<Extract<StoredMessage['said'], { by: 'assistant' }>['end']['state'], string | null>> =
  {
    whole: null,
    streaming: 'This answer is still being written.',
    stopped: 'You stopped this answer.',
    'broke-off': 'This answer broke off.',
    length: 'This answer was cut at its output limit.',
    refused: 'The model refused.',
    empty: 'The model said nothing.',
    failed: 'The request failed.',
  };

function blockLines(db: Database, block: StoredBlock): readonly string[] {
  if (block.kind === 'text') return [cleanText(block.text)];
  if (block.kind === 'reasoning') return ['**Reasoning**', fenced(cleanText(block.text), '')];
  const call = findCall(db, block);
  if (call === null) return [`### ${inline(block.name)}`, '*Nothing is kept of this call.*'];
  const ended = call.code === null ? call.state : `${call.state}, ${call.code}`;
  return [
    `### ${inline(call.tool)}: ${inline(call.summary)} (${ended})`,
    fenced(JSON.stringify(call.arguments, null, 2), 'json'),
    ...(call.reason === null ? [] : [inline(call.reason)]),
    ...(call.result === null ? [] : [fenced(call.result, '')]),
  ];
}

function findCall(db: Database, { callId }: Extract<StoredBlock, { kind: 'call' }>): CallDetail | null {
  const found = callId === undefined ? null : readDetail(db, callId);
  return found === null ? null : (redactForRecord(found as unknown as Json).value as unknown as CallDetail);
}

const cleanText = (text: string): string => redactForRecord(text).value;
