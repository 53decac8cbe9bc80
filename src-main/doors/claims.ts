import { visibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { type Asker, askerAt, type Bearer } from '../domain/call/asker.js';
import type { InvocationScope } from '../domain/ports/invocations.js';
import { sha256 } from '../platform/digest.js';

/** What a program says, within what it came in with, of who asks and for whom. It is shown, and never loosens. */
export interface Claims {
  readonly agent: string | null;
  readonly tenant: string | null;
  readonly user: string | null;
  /** What was read there may be patched there. */
  readonly session: string | null;
}

/** A name that was revoked and made anew is another’s. */
export const bearerOf = ({ agent, life }: Bearer): string => life?.id ?? agent ?? '';

/** Within whom its ids and keys are kept. */
export const scopeOf = (bearer: Bearer, { agent, tenant }: Claims): InvocationScope => ({
  bearer: bearerOf(bearer),
  agent: (agent ?? '') || bearerOf(bearer),
  tenant: tenant ?? '',
});

const LONGEST_SHOWN = 100;

/** As its calls are recorded under it; null where a program names none. */
export const sessionOf = (bearer: Bearer, claims: Claims): string | null =>
  (claims.session ?? '') === '' ? null : askerFor(bearer, claims).session;

/** Who asks: by its bearer, with what it claims beside. */
export function askerFor(bearer: Bearer, claims: Claims): Asker<'gateway'> {
  const { agent, credential } = bearer;
  const { bearer: of, agent: by, tenant } = scopeOf(bearer, claims);
  const session = sha256(JSON.stringify([of, by, tenant, claims.session ?? ''])).slice(0, 32);
  return askerAt('gateway', `programs-${session}`, {
    agent,
    credential,
    client: shown(claims.agent === agent ? null : claims.agent),
    tenant: claims.tenant,
    user: shown(claims.user),
  });
}

const shown = (text: string | null): string | null =>
  text === null || text === '' ? null : visibleLine(text, LONGEST_SHOWN);

export const noTokens = (field: string): Failure => ({
  code: 'NotPermitted',
  message: `Capability tokens can’t be checked here, so none is taken. Leave ${field} out: the bearer says who asks.`,
  eCode: 'E3201',
});
