import { drawFrameLetters } from '../../domain/conversation/framing.js';
import type { StoredMessage } from '../../domain/conversation/message.js';
import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import type { HistoryParts } from './history.js';
import { findUnframed } from './given-result.js';

/**
 * Reads from the record everything that a history of the shown branch is made of. Results that are sent for the first
 * time get their frame letters, which are recorded.
 */
export function readHistoryParts(record: ConversationRecord, id: string, randomByte: () => number): HistoryParts {
  const branch = record.branch(id);
  const calls = callsIn(branch);
  const results = record.results(calls);
  const frames = findUnframed(calls, { results, given: record.listPresentations(id) }).map((call) => ({
    call,
    letters: drawFrameLetters(randomByte),
  }));
  record.keepFrames(id, frames);
  return { branch, results, given: record.listPresentations(id) };
}

/** The gate's ids of all calls in these messages. */
export const callsIn = (messages: readonly StoredMessage[]): readonly string[] =>
  messages.flatMap(({ said }) =>
    said.by === 'person'
      ? []
      : said.blocks.flatMap((block) => (block.kind === 'call' && block.callId !== undefined ? [block.callId] : [])),
  );
