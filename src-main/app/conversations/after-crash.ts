import type { StoredMessage } from '../../domain/conversation/message.js';
import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import type { Batch } from '../../domain/ports/gate/gate.js';
import type { OpenBatch } from '../../domain/ports/journal.js';
import type { ConversationLoops } from '../../conversation/loop/conversation-loops.js';
import { messagesOf } from '../../conversation/loop/can-continue.js';
import type { Recovery } from '../../gate/recovery/recovery.js';

interface AfterCrashDeps {
  readonly record: Pick<ConversationRecord, 'get' | 'newestFirst'>;
  readonly recovery: Pick<Recovery, 'unfinished' | 'waiting' | 'onDecided' | 'onResumed'>;
  readonly loops: Pick<ConversationLoops, 'of' | 'takeUp'>;
  readonly stopBatch: (batchId: string) => void;
}

/**
 * Conversations whose calls were under way when the app stopped. Nothing is run again: once the person has decided about what was
 * unfinished, and about all that waited, the model gets what there is, or (“Discard results”) the conversation rests. An answer
 * that was not written to its end is asked for once more.
 */
export function resumeConversationsAfterCrash({ record, recovery, loops, stopBatch }: AfterCrashDeps): void {
  const left = new Set([...recovery.unfinished, ...recovery.waiting]);
  for (const batch of left) {
    const { asker, batchId } = batch;
    if (asker.door !== 'conversation' || record.get(asker.session) === null) continue;
    const [message] = messagesOf(record.newestFirst(asker.session), idsOf(batch));
    if (message === undefined) continue;
    const decided = recovery.unfinished.includes(batch)
      ? decision(recovery, batch)
      : Promise.resolve('resume' as const);
    const waited = recovery.waiting.includes(batch) ? results(recovery, batch) : Promise.resolve();
    if (!isWhole(message)) {
      void decided.then((choice) => choice === 'resume' && loops.of(asker.session).goOn(message.id));
      continue;
    }
    const settled = Promise.all([decided, waited]).then(([choice]) => choice === 'resume');
    loops.takeUp(asker.session, { messageId: message.id, stop: () => stopBatch(batchId), settled });
  }
}

const idsOf = ({ calls }: OpenBatch): readonly string[] =>
  calls.map((each) => (each.settled ? each.summary : each.call.summary).callId);

const isWhole = ({ said }: StoredMessage): boolean => said.by === 'assistant' && said.end.state === 'whole';

function decision(recovery: AfterCrashDeps['recovery'], batch: OpenBatch): Promise<'resume' | 'discard'> {
  return new Promise((resolve) => {
    const stop = recovery.onDecided((choice, batches) => {
      if (!batches.includes(batch)) return;
      stop();
      resolve(choice);
    });
  });
}

/** Once its folder is open, they are asked for again. */
function results(recovery: AfterCrashDeps['recovery'], left: OpenBatch): Promise<void> {
  return new Promise((resolve) => {
    const stop = recovery.onResumed((resumed: OpenBatch, batch: Batch) => {
      if (resumed !== left) return;
      stop();
      void batch.settled.then(() => {
        batch.close();
        resolve();
      });
    });
  });
}
