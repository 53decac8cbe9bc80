import type { Bearer } from '../../domain/call/asker.js';
import { askerFor, type Claims, sessionOf } from '../claims.js';
import type { InvokeDeps } from './invoke-deps.js';

/** Puts on record that who asks is told what a call said, in the folder that they are in now. False: it is not to be told. */
export async function recordGiven(
  { gate, folders }: Pick<InvokeDeps, 'gate' | 'folders'>,
  bearer: Bearer,
  claims: Claims,
  callId: string,
): Promise<boolean> {
  if (bearer.agent === null) return true;
  const folder = await folders.now(sessionOf(bearer, claims), bearer);
  return gate.giveResult(askerFor(bearer, claims), folder, callId);
}

/** The answer where a call's end is on record, but it can't be recorded that it is told again. */
export const answerUnrecorded = (callId: string) => ({
  invocation_id: callId,
  status: 'error' as const,
  error: {
    code: 'internal_error' as const,
    message: 'It can’t be recorded that you are told this, so you are not. Ask again later.',
    details: { code: 'JournalUnavailable', e_code: null, call_id: callId },
    retryable: false,
  },
});
