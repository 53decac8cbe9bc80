import { setTimeout } from 'node:timers/promises';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { AuthorizedCall } from '../../domain/call/call-stages.js';
import type { CommitReceipt } from '../../domain/ports/journal.js';
import type { ToolDeclaration } from '../../domain/tool/tool.js';
import type { CallRun } from './batch/call-run.js';
import { executing, isUnavailable, type Recorder } from './recorder.js';

const MAX_RETRIES = 3;
const BASE_MS = 200;
const CAP_MS = 5000;

/**
 * Seed 000 §7.3: only what may be done twice (idempotent), only where the machine was short of something or of time,
 * at most three times. Gives how long to wait, or null.
 */
export function retryDelay(
  declaration: ToolDeclaration,
  failure: Failure,
  attempt: number,
  random: () => number,
): number | null {
  // What runs elsewhere is sent again by whoever sends it, or by nobody.
  if (!declaration.idempotent || declaration.nature === 'remote' || attempt > MAX_RETRIES) return null;
  if (failure.code !== 'ResourceExhausted' && failure.code !== 'Timeout') return null;
  // Full jitter: anywhere between nothing and the exponential step, so that retries do not march together.
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** (attempt - 1));
}

/** Waits, and gives the proof that the next attempt is journaled; null where there is none. */
export async function beginAgain(
  run: CallRun,
  { callId, tool }: AuthorizedCall,
  failure: Failure,
  attempt: number,
  recorder: Pick<Recorder, 'append'>,
  random: () => number,
): Promise<CommitReceipt | null> {
  const delay = retryDelay(tool.declaration, failure, attempt, random);
  if (delay === null) return null;
  const { code, message } = failure;
  const retrying = recorder.append([
    { type: 'call-retrying', callId, attempt: attempt + 1, delayMs: Math.round(delay), code, message },
  ]);
  if (isUnavailable(retrying)) return null;
  // Taken back meanwhile: that is looked at next.
  await setTimeout(delay, undefined, { signal: run.signal }).catch(() => undefined);
  if (run.signal.aborted) return null;
  const proof = recorder.append([executing(callId, attempt + 1)]);
  return isUnavailable(proof) ? null : proof;
}
