import type { AppEventBody } from '#contract/window/app-events.js';
import { ConversationLoops } from '../../conversation/loop/conversation-loops.js';
import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Journal } from '../../domain/ports/journal.js';
import type { ComposedGate } from '../gate/gate.js';
import { resumeConversationsAfterCrash } from './after-crash.js';
import { followConversations } from './follow.js';
import { speakerFor, type SpeakerParts } from './speakers.js';

export interface ConversationsInApp extends Omit<SpeakerParts, 'record' | 'gate'> {
  readonly record: ConversationRecord;
  readonly gate: Pick<ComposedGate, 'gate' | 'orchestrator' | 'recovery' | 'situation'>;
  readonly journal: Pick<Journal, 'onCommit'>;
  readonly clock: Clock;
  readonly publish: (event: AppEventBody) => void;
  readonly onTrouble: (error: unknown) => void;
}

export interface Conversations {
  readonly loops: ConversationLoops;
  /** Begins, after recovery has cleaned up what a crash left, and before any folder is open. */
  readonly begin: () => void;
}

/** Conversations, joined: what the app, the tests and the benchmarks all run. It needs no window. */
export function composeConversations(parts: ConversationsInApp): Conversations {
  const { record, gate, journal, clock, publish, onTrouble } = parts;
  const { orchestrator, recovery } = gate;
  const stopBatch = (batchId: string): void => void orchestrator.stopBatch(batchId);
  const loops = new ConversationLoops({
    record,
    gate: gate.gate,
    clock,
    speaker: (conversation) => speakerFor(conversation, { ...parts, gate: gate.gate }),
    goesOn: ({ workspace }) => {
      const { isOpen, config } = gate.situation(workspace);
      return isOpen && config.tools.mode !== 'disabled';
    },
    stopBatch,
    personSpoke: (id) => orchestrator.personSpoke(id),
    publish,
    onTrouble,
  });
  followConversations(journal, record, publish);
  return { loops, begin: () => resumeConversationsAfterCrash({ record, recovery, loops, stopBatch }) };
}
