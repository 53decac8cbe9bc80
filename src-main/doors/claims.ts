import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { type Asker, makeAsker, type Bearer } from '../domain/call/asker.js';
import type { InvocationScope } from '../domain/ports/invocations.js';
import { sha256 } from '../platform/digest.js';

/**
 * The identity that a program claims, within the token it came with: who asks, and for whom. It is shown, and never
 * loosens.
 */
export interface Claims {
  readonly agent: string | null;
  readonly tenant: string | null;
  readonly user: string | null;
  /** The session within which a file that was read may be patched. */
  readonly session: string | null;
}

/** A name that was revoked and made anew is another’s. */
export const bearerOf = ({ agent, life }: Bearer): string => life?.id ?? agent ?? '';

/** The scope within which its ids and keys are kept. */
export const scopeOf = (bearer: Bearer, { agent, tenant }: Claims): InvocationScope => ({
  bearer: bearerOf(bearer),
  agent: (agent ?? '') || bearerOf(bearer),
  tenant: tenant ?? '',
});

const MAX_SHOWN_CLAIM = 100;

/** The session that its calls are recorded under; null where a program names none. */
export const sessionOf = (bearer: Bearer, claims: Claims): string | null =>
  (claims.session ?? '') === '' ? null : askerFor(bearer, claims).session;

/** Builds the asker: from its bearer token, with what it claims in addition. */
export function askerFor(bearer: Bearer, claims: Claims): Asker<'gateway'> {
  const { agent, credential } = bearer;
  const { bearer: of, agent: by, tenant } = scopeOf(bearer, claims);
  const session = sha256(JSON.stringify([of, by, tenant, claims.session ?? ''])).slice(0, 32);
  return makeAsker('gateway', `programs-${session}`, {
    agent,
    credential,
    client: shownClaim(claims.agent === agent ? null : claims.agent),
    tenant: claims.tenant,
    user: shownClaim(claims.user),
  });
}

const shownClaim = (text: string | null): string | null =>
  text === null || text === '' ? null : toVisibleLine(text, MAX_SHOWN_CLAIM);

export const noTokens = (field: string): Failure => ({
  code: 'NotPermitted',
  message: `Capability tokens can’t be checked here, so none is taken. Leave ${field} out: the bearer says who asks.`,
  eCode: 'E3201',
});
