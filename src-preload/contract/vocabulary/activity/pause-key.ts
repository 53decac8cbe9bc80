import type { CallSummary } from '../calls.js';

export type CallerIdentity = Pick<CallSummary, 'door' | 'client' | 'agent'>;

/**
 * Builds the key that an agent is paused by: its token or its named pipe, or, where it has neither, the name that its
 * client gives itself. A name holds an agent no better than a name can. Null for the person themselves, who is not
 * paused.
 */
export function buildPauseKey({ door, client, agent }: CallerIdentity): string | null {
  if (door === 'window' || door === 'compose') return null;
  if (agent !== null) return `agent ${agent}`;
  return client === null ? `door ${door}` : `client ${client}`;
}

/** Parses a pause key back into its agent; null where it is none that `buildPauseKey` gives for an agent. */
export function parsePauseKey(by: string): CallerIdentity | null {
  const [, kind, name = ''] = /^(agent|client) (.+)$/su.exec(by) ?? [];
  if (kind === 'agent') return { door: 'mcp', agent: name, client: null };
  return kind === 'client' ? { door: 'mcp', agent: null, client: name } : null;
}
