import type { ConfinementTerms } from '../../domain/call/judgement.js';
import type { CommandConfinement } from '../../domain/ports/approval-desk.js';

/** What a command would get, made up by a test. What differs in words differs in what it is. */
export const confinementSaid = (
  words: string,
  withNetwork: string | null = null,
  kind: ConfinementTerms['kind'] = 'confined',
): CommandConfinement => ({
  words,
  terms: { kind, said: words },
  withNetwork,
  termsWithNetwork: withNetwork === null ? null : { kind: 'network', said: withNetwork },
});
