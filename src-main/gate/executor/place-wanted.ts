import type { ValidatedCall } from '../../domain/call/call-stages.js';
import type { PlaceWanted } from '../../domain/ports/place-queue.js';
import type { BatchRun } from './batch-run.js';

/** What the queue is to know of a call. Agents without a name are one: names that clients give themselves loosen nothing. */
export function placeWanted(batch: BatchRun, { toolName, tool }: ValidatedCall): PlaceWanted {
  const ofPerson = batch.door === 'compose' || batch.door === 'window';
  const { maxMemory } = tool.declaration.resourceLimits;
  return {
    tool: toolName,
    agent: ofPerson ? null : (batch.agent ?? ''),
    // What the person does themselves in the window waits for nobody's turn.
    session: batch.byPerson ? null : batch.sessionId,
    urgent: ofPerson,
    memoryBytes: maxMemory ?? null,
  };
}
