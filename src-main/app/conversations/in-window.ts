import { systemClock } from '../../platform/clock.js';
import type { Front } from '../front.js';
import type { ComposedGate } from '../gate/gate.js';
import type { Models } from './models.js';
import type { Record } from '../record.js';
import type { SourcesWing } from '../sources/sources.js';
import type { Shell } from '../shell.js';
import { conversationChannels } from './channels.js';
import { composeConversations } from './conversations.js';
import type { OpenInstructions } from '../trust/instructions.js';

interface ConversationWings {
  readonly record: Record;
  readonly gate: ComposedGate;
  readonly instructions: OpenInstructions;
  readonly models: Models;
  readonly sources: Pick<SourcesWing, 'shelves'>;
}

/** Conversations with the parts that the app has, for a person who sees its window. */
export function openConversations(
  shell: Shell,
  front: Front,
  { record, gate, instructions, models, sources }: ConversationWings,
) {
  const { conversations, journal, reader } = record;
  const joined = composeConversations({
    record: conversations,
    gate,
    journal,
    clock: systemClock,
    models,
    instructions: instructions.accepted,
    config: (folder) => shell.config.forFolder(folder).config,
    ...(shell.demo === 'to-its-end' ? { demoPauseMs: 0 } : {}),
    publish: front.publish,
    onTrouble: (error) => {
      shell.logger.error('A conversation could not go on', { error });
      front.problem(
        'The conversation could not go on',
        'What was said is kept. Look at the notice about the journal if there is one, then try again.',
      );
    },
  });
  const { loops } = joined;
  const handlers = conversationChannels(shell, {
    record: conversations,
    reader,
    loops,
    gate,
    models,
    journal,
    shelves: sources.shelves,
  });
  return { ...joined, handlers };
}
