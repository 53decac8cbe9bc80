import type { Bearer } from '../../domain/call/asker.js';
import { type Asker, askerAt } from '../../domain/call/asker.js';
import type { InvocationScope } from '../../domain/ports/invocations.js';
import { sha256 } from '../../platform/digest.js';
import type { AgentContext } from './tool-schemas.js';

export const bearerOf = ({ agent }: Bearer): string => agent ?? '';

/** Within whom its ids and keys are kept. */
export const scopeOf = (bearer: Bearer, context: AgentContext | null): InvocationScope => ({
  bearer: bearerOf(bearer),
  agent: (context?.agent_did ?? '') || bearerOf(bearer),
  tenant: context?.tenant_id ?? '',
});

/** An agent's bearer names itself or nobody; the person's own may name any. */
export function namesAnother({ agent }: Bearer, context: AgentContext | null): boolean {
  const named = context?.agent_did ?? '';
  return agent !== null && named !== '' && named !== agent;
}

/** Who asks: by its bearer, with what it claims beside. A claim is shown, and never loosens. */
export function askerFor(bearer: Bearer, context: AgentContext | null): Asker<'gateway'> {
  const { agent, credential } = bearer;
  const claimed = context?.agent_did ?? '';
  const { bearer: of, agent: by, tenant } = scopeOf(bearer, context);
  const session = sha256(JSON.stringify([of, by, tenant, context?.session_id ?? ''])).slice(0, 32);
  return askerAt('gateway', `programs-${session}`, {
    agent,
    credential,
    client: agent === null && claimed !== '' ? claimed : null,
    tenant: context?.tenant_id ?? null,
    user: context?.user_did ?? null,
  });
}
