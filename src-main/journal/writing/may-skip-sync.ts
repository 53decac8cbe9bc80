import type { JournalEvent } from '../../domain/call/journal-events.js';

/**
 * Should a power cut lose that results were handed over, the batch is found finished; that a model was asked, nothing of its
 * answer was there; how results were framed, they are framed anew; that a program ended, it did so all the more.
 */
export const maySkipSync = (event: JournalEvent): boolean =>
  event.type === 'batch-closed' ||
  event.type === 'answer-begun' ||
  event.type === 'program-ended' ||
  (event.type === 'conversation-changed' && event.change.what === 'framed');
