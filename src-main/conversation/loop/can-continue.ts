import type { StoredBlock, StoredMessage } from '../../domain/conversation/message.js';
import type { RecordedCallResult } from '../../domain/ports/conversation/conversation-record.js';
import { ENOUGH_ROUNDS } from './refusals.js';

type Results = (callIds: readonly string[]) => ReadonlyMap<string, RecordedCallResult>;
/** The branch that is shown, from its end on, read only as far as it is looked at. */
type NewestFirst = Iterable<StoredMessage>;

/** Whether a conversation at rest could go on without a word of the person, by what is on record of the branch that is shown. */
export function canContinue(branch: NewestFirst, resultsOf: Results): boolean {
  let isLast = true;
  for (const message of branch) {
    // The calls of the answer before had been refused, so that the last one said where the model stands.
    if (!isLast) return wereRefused(callIdsOf(message), resultsOf);
    // A message was said, and no model was asked yet.
    if (message.said.by === 'person') return true;
    if (message.said.end.state !== 'whole') return false;
    const calls = callIdsOf(message);
    if (calls.length > 0) return settledOf(calls, resultsOf).length === calls.length;
    isLast = false;
  }
  return false;
}

const wereRefused = (calls: readonly string[], resultsOf: Results): boolean =>
  calls.length > 0 &&
  settledOf(calls, resultsOf).every(({ result }) => result?.failure?.message === ENOUGH_ROUNDS.message);

/** How many rounds of calls there were since the person last spoke. */
export function roundsIn(branch: NewestFirst): number {
  let rounds = 0;
  for (const message of branch) {
    if (message.said.by === 'person') break;
    if (callIdsOf(message).length > 0) rounds += 1;
  }
  return rounds;
}

/** The answers that asked for these calls, newest first. */
export function* messagesOf(branch: NewestFirst, callIds: Iterable<string>): Generator<StoredMessage> {
  const left = new Set(callIds);
  for (const message of branch) {
    if (callIdsOf(message).filter((callId) => left.delete(callId)).length > 0) yield message;
    if (left.size === 0) return;
  }
}

function callIdsOf({ said }: StoredMessage): readonly string[] {
  if (said.by === 'person') return [];
  return said.blocks.flatMap(({ callId }: StoredBlock) => (callId === undefined ? [] : [callId]));
}

const settledOf = (callIds: readonly string[], resultsOf: Results): readonly RecordedCallResult[] =>
  [...resultsOf(callIds).values()].filter(({ result }) => result !== null);
