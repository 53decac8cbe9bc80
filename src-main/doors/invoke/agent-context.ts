import type { Bearer } from '../../domain/call/asker.js';
import type { Claims } from '../claims.js';
import type { AgentContext } from './tool-schemas.js';

export const claimsIn = (context: AgentContext | null): Claims => ({
  agent: context?.agent_did ?? null,
  tenant: context?.tenant_id ?? null,
  user: context?.user_did ?? null,
  session: context?.session_id ?? null,
});

/** An agent's bearer names itself or nobody; the person's own may name any. */
export function namesAnother({ agent }: Bearer, context: AgentContext | null): boolean {
  const named = context?.agent_did ?? '';
  return agent !== null && named !== '' && named !== agent;
}
