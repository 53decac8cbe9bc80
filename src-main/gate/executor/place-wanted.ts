import { buildPauseKey } from '#contract/vocabulary/activity/pause-key.js';
import { nameAsker } from '../../domain/call/asker.js';
import type { ValidatedCall } from '../../domain/call/call-stages.js';
import type { PlaceRequest } from '../../domain/ports/gate/place-queue.js';

/**
 * Describes a call to the queue. Agents without a name count as one: names that clients give themselves loosen nothing.
 */
export function describePlaceWanted({ toolName, tool, asker, wanted }: ValidatedCall, folder: string): PlaceRequest {
  const ofDomain = tool.declaration.ofDomain === true;
  return {
    tool: toolName,
    pool: ofDomain ? 'domain' : 'app',
    toolId: tool.declaration.id,
    folder,
    agent: asker.person ? null : (asker.agent ?? ''),
    pausedAs: buildPauseKey(asker),
    name: nameAsker(asker),
    // What the person does themselves waits for nobody's turn; what comes over HTTP says itself what follows what, and a domain has
    // its policies.
    session: asker.door === 'window' || asker.door === 'gateway' || ofDomain ? null : asker.session,
    priority: wanted?.priority ?? 'normal',
    urgent: asker.person,
    memoryBytes: tool.declaration.resourceLimits.maxMemory ?? null,
  };
}
