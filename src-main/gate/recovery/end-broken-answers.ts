import { randomUUID } from 'node:crypto';
import { makeAsker } from '../../domain/call/asker.js';
import { parsePartialArguments, cutArguments } from '../../domain/call/cut-arguments.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { InterruptedAnswer } from '../../domain/ports/conversation/conversation-record.js';
import type { Journal } from '../../domain/ports/journal.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { sha256 } from '../../platform/digest.js';
import { RecordRedactor } from '../executor/result/record-redactor.js';
import type { CrashContext } from './crash-leftovers.js';

/**
 * Answers that a model was writing are ended with what came of them. Their calls are received, so that the person is told
 * of each, and none is started: nothing is run of a message that did not end. One append an answer; it can be repeated.
 */
export function endBrokenAnswers(
  answers: readonly InterruptedAnswer[],
  { journal, redactor }: { readonly journal: Pick<Journal, 'append'>; readonly redactor: Redactor },
  found: CrashContext['found'],
): void {
  const withoutSecrets = new RecordRedactor(redactor);
  for (const answer of answers) {
    const batchId = randomUUID();
    const calls = answer.calls.map((call) => ({ ...call, callId: randomUUID() }));
    const received = calls.map(({ callId, id, name, text }, index): JournalEvent => ({
      type: 'call-received',
      callId,
      batchId,
      index,
      requestId: id,
      tool: name,
      toolId: null,
      toolVersion: null,
      nature: null,
      sideEffecting: false,
      arguments: cutArguments(parsePartialArguments(text), sha256, (beginning) => withoutSecrets.shown(beginning)),
    }));
    const asker = makeAsker('conversation', answer.conversationId);
    const batch: JournalEvent = {
      type: 'batch-received',
      batchId,
      asker,
      workspace: answer.workspace,
      mode: 'enabled',
    };
    journal.append([
      ...answer.ended(calls.map(({ callId }) => callId)),
      ...(calls.length === 0 ? [] : [batch, ...received].map((event) => withoutSecrets.event(event))),
    ]);
    for (const { callId } of calls) found(callId, { brokeOff: true });
  }
}
