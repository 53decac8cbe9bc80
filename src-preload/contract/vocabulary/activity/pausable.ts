import type { CallSummary } from '../calls.js';

export type Asking = Pick<CallSummary, 'door' | 'client' | 'agent'>;

/**
 * By what an agent is paused: its token or its named pipe, or, where it has neither, what its client calls itself. That
 * holds it no better than a name can. Null for the person themselves, who is not paused.
 */
export function pausedAs({ door, client, agent }: Asking): string | null {
  if (door === 'window' || door === 'compose') return null;
  if (agent !== null) return `agent ${agent}`;
  return client === null ? `door ${door}` : `client ${client}`;
}

/** Who was paused by that; null where it is none of what `pausedAs` gives for an agent. */
export function askingPausedAs(by: string): Asking | null {
  const [, kind, name = ''] = /^(agent|client) (.+)$/su.exec(by) ?? [];
  if (kind === 'agent') return { door: 'mcp', agent: name, client: null };
  return kind === 'client' ? { door: 'mcp', agent: null, client: name } : null;
}
