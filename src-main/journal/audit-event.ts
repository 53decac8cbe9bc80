import type { Json } from '../../src-preload/contract/json.js';
import type { LifecycleState } from '../../src-preload/contract/lifecycle.js';
import type { JournalEvent } from '../domain/journal-events.js';
import type { CallEvent, CallRow } from './call-row.js';
import { sha256Hex } from './chain.js';
import type { Redact } from './redaction.js';

/**
 * Seed 000 §8.1's event, and what else a fact needs to be understood without the rest of the database. It never holds
 * arguments or results, only their hashes; the words in it are redacted.
 */
export interface AuditBody {
  readonly seq: number;
  readonly eventId: string;
  readonly timestamp: number;
  readonly type: JournalEvent['type'] | 'retention';
  readonly batchId?: string;
  readonly executionId?: string;
  readonly toolId?: string;
  readonly toolVersion?: string;
  readonly state?: LifecycleState;
  readonly capabilities?: readonly string[];
  readonly duration?: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly inputHash?: string;
  readonly outputHash?: string;
  /** What happened, in plain words, where the state alone does not say it. */
  readonly note?: string;
  /** How many secrets or personal data were taken out of the words. */
  readonly redacted?: number;
  readonly details?: { readonly [name: string]: Json };
}

type Unnumbered = Omit<AuditBody, 'seq' | 'eventId' | 'timestamp'>;

/** One event, or two: what was rolled back was aborted first. */
export function auditCall(event: CallEvent, row: CallRow, batchId: string, redact: Redact): readonly Unnumbered[] {
  const base = {
    type: event.type,
    batchId,
    executionId: row.callId,
    toolId: row.toolId ?? row.tool,
    toolVersion: row.toolVersion ?? 'unknown',
    state: row.state,
    capabilities: JSON.parse(row.capabilities) as readonly string[],
    inputHash: row.inputHash,
  };
  switch (event.type) {
    case 'call-received':
    case 'call-validated':
      return [base];
    case 'call-awaiting':
      return [{ ...base, ...words(`Waiting for a ${event.for}: ${event.why}`, redact) }];
    case 'call-edited':
      return [{ ...base, note: 'The person edited the arguments.' }];
    case 'call-authorized':
      return [{ ...base, ...words(event.grant.rule, redact), details: { by: event.grant.by } }];
    case 'call-executing':
      return [{ ...base, details: { attempt: event.attempt } }];
    case 'call-process':
      return [{ ...base, note: `Process ${event.pid} runs, ${event.confinement}.` }];
    case 'call-retrying': {
      const note = `Attempt ${event.attempt} failed (${event.code}: ${event.message}); again in ${event.delayMs} ms.`;
      return [{ ...base, ...words(note, redact) }];
    }
    case 'call-settled': {
      const settled = { ...base, ...outcome(event, redact) };
      return event.state === 'ROLLED_BACK' ? [{ ...settled, state: 'ABORTED' }, settled] : [settled];
    }
  }
}

export function auditBatch(event: Exclude<JournalEvent, CallEvent>): Unnumbered {
  if (event.type !== 'batch-received') return { type: event.type, batchId: event.batchId };
  const { type, batchId, door, client, agent, sessionId, workspace, mode } = event;
  return { type, batchId, details: { door, client, agent, sessionId, workspace, mode } };
}

function outcome(event: Extract<CallEvent, { type: 'call-settled' }>, redact: Redact): Partial<Unnumbered> {
  const { failure, result } = event;
  const message = failure === null ? null : redact(failure.message);
  return {
    ...(event.durationMs === null ? {} : { duration: event.durationMs }),
    outputHash: sha256Hex(result.content),
    ...(failure === null || message === null ? {} : { error: { code: failure.code, message: message.value } }),
    ...(message === null || message.count === 0 ? {} : { redacted: message.count }),
    ...(result.undoes === null ? {} : { details: { undoes: result.undoes } }),
  };
}

function words(text: string, redact: Redact): Partial<Unnumbered> {
  const clean = redact(text);
  return { note: clean.value, ...(clean.count === 0 ? {} : { redacted: clean.count }) };
}
