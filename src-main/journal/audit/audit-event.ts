import type { Confinement } from '#contract/vocabulary/calls.js';
import { type HookRun, describeHookRun } from '#contract/vocabulary/hooks.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { DecidingRule } from '#contract/vocabulary/rules.js';
import type { LifecycleState } from '#contract/vocabulary/lifecycle.js';
import type { ConversationEvent } from '../../domain/conversation/conversation-events.js';
import type { Grant, JournalEvent } from '../../domain/call/journal-events.js';
import type { CallEvent, CallRow } from '../writing/call-row.js';
import { sha256 } from '../../platform/digest.js';
import type { Redact } from '../writing/redaction.js';

const RUNNING_IN = {
  confined: 'Running in the sandbox',
  network: 'Running in the sandbox, with network',
  unconfined: 'Running unconfined',
} as const satisfies Readonly<Record<Confinement, string>>;

/**
 * Seed 000 §8.1's event, and what else a fact needs to be understood without the rest of the database. It never holds
 * arguments or results, only their hashes, but for the words of a command that a rule let run; all words are redacted.
 */
export interface AuditBody {
  readonly seq: number;
  readonly eventId: string;
  readonly timestamp: number;
  readonly type: JournalEvent['type'] | 'retention' | 'unsigned-range' | 'accepted' | 'conversation-erased';
  readonly batchId?: string;
  readonly executionId?: string;
  readonly toolId?: string;
  readonly toolVersion?: string;
  readonly state?: LifecycleState;
  readonly capabilities?: readonly string[];
  readonly duration?: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly inputHash?: string;
  /**
   * A keyed hash of the whole arguments, where secrets were taken out of what is recorded: what was approved has its
   * proof.
   */
  readonly withheldHash?: string;
  /**
   * In a call's first event: how long it was to be kept, when it was recorded. It is not erased sooner, whatever is
   * said later.
   */
  readonly keepDays?: number;
  readonly outputHash?: string;
  /** A hash of what else history shows of a settled call. */
  readonly shownHash?: string;
  /** The event in plain words, where the state alone does not say it. */
  readonly note?: string;
  /** How many secrets or personal data were taken out of the words. */
  readonly redacted?: number;
  readonly details?: { readonly [name: string]: Json };
}

export type UnnumberedBody = Omit<AuditBody, 'seq' | 'eventId' | 'timestamp'>;

/** Makes the events for a fact about a call: one, or two, since what was rolled back was aborted first. */
export function auditCall(
  event: CallEvent,
  row: CallRow,
  batchId: string,
  redact: Redact,
  keepDays: number | null,
): readonly UnnumberedBody[] {
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
      return [keepDays === null ? base : { ...base, keepDays }];
    case 'call-validated':
      return [base];
    case 'call-awaiting':
      return [
        {
          ...base,
          ...redactNote(`Waiting for a ${event.for}: ${event.why}`, redact),
          details: toRuleDetails(event.rule),
        },
      ];
    case 'call-hook':
    case 'call-hook-after':
      return [
        {
          ...base,
          ...redactNote(describeHookRun(event.run), redact),
          details: { hook: toHookDetails(event.run, redact) },
        },
      ];
    case 'call-edited':
      return [{ ...base, note: 'You edited the arguments.' }];
    case 'call-authorized':
      return [describeAuthorization(base, event.grant, redact)];
    case 'call-queued':
      return [{ ...base, ...redactNote(event.why, redact) }];
    case 'call-executing':
      return [{ ...base, details: { attempt: event.attempt } }];
    case 'call-process':
      return [{ ...base, note: `${RUNNING_IN[event.confinement]} (process ${event.pid})` }];
    case 'call-retrying': {
      const note = `Attempt ${event.attempt} failed (${event.code}: ${event.message}); again in ${event.delayMs} ms.`;
      return [{ ...base, ...redactNote(note, redact) }];
    }
    case 'call-settled': {
      const settled = { ...base, ...describeOutcome(event, redact) };
      return event.state === 'ROLLED_BACK' ? [{ ...settled, state: 'ABORTED' }, settled] : [settled];
    }
  }
}

/** The event of an authorization, with the judgement: what was granted was granted for that, and nothing else. */
function describeAuthorization(base: UnnumberedBody, grant: Grant, redact: Redact): UnnumberedBody {
  const { by, judgement, from } = grant;
  const said = redact(describeGrant(grant));
  const judged = redact(judgement as unknown as Json);
  const redacted = said.count + judged.count;
  const details = { by, ...toRuleDetails(from), ...(judgement === null ? {} : { judgement: judged.value }) };
  return { ...base, note: said.value, details, ...(redacted === 0 ? {} : { redacted }) };
}

const toRuleDetails = ({ layer, id }: DecidingRule): { readonly [name: string]: Json } => ({ layer, rule: id });

type GivenTextEvent = Extract<
  JournalEvent,
  { type: 'text-given' | 'texts-forgotten' | 'folder-trusted' | 'files-looked-through' }
>;

export function auditGiven(event: GivenTextEvent, row: CallRow | null): UnnumberedBody {
  const { type, workspace } = event;
  switch (type) {
    case 'text-given': {
      const { name, origin, ofFolder, isPrivate } = event.text;
      const of = row === null ? {} : { executionId: row.callId, state: row.state };
      const what = isPrivate ? 'private data' : 'text that you didn’t write';
      const note = `From here on its agent has read ${what}: ${name}`;
      return { type, ...of, note, details: { to: event.to, workspace, name, origin, ofFolder, isPrivate } };
    }
    case 'texts-forgotten': {
      const note = event.by === 'person' ? 'You let it start fresh.' : 'A day went by without a call.';
      return { type, note, details: { to: event.to, workspace, by: event.by } };
    }
    case 'folder-trusted': {
      const note = event.trusted
        ? 'You trust what is written in this folder.'
        : 'You don’t trust what is written in this folder any more.';
      return { type, note, details: { workspace, trusted: event.trusted } };
    }
    case 'files-looked-through':
      return {
        type,
        note: 'You looked through what was written there.',
        details: { workspace, paths: [...event.paths] },
      };
  }
}

type ProgramEvent = Extract<JournalEvent, { type: 'program-started' | 'program-ended' }>;

/** An event of the record, and of no call. */
export function auditProgram(event: ProgramEvent, redact: Redact): UnnumberedBody {
  const { type, ...facts } = event;
  const whose = event.domain === null ? `the source “${event.name}”` : `“${event.name}” of ${event.domain}`;
  const what = event.of === 'worker' ? `the worker ${whose}` : `a program of ${whose}`;
  const note = event.type === 'program-started' ? `About to start ${what}: ${event.runs}` : `Of ${what}: ${event.how}`;
  const said = redact(note);
  const told = redact(facts as unknown as { readonly [name: string]: Json });
  const redacted = said.count + told.count;
  return { type, note: said.value, details: told.value, ...(redacted === 0 ? {} : { redacted }) };
}

export function auditBatch(
  event: Exclude<JournalEvent, CallEvent | ConversationEvent | GivenTextEvent | ProgramEvent>,
): UnnumberedBody {
  if (event.type !== 'batch-received') return { type: event.type, batchId: event.batchId };
  const { type, batchId, asker, workspace, mode } = event;
  const { session: sessionId, credential, ...who } = asker;
  const came = credential === null ? null : { kind: credential.kind, id: credential.id };
  return { type, batchId, details: { ...who, credential: came, sessionId, workspace, mode } };
}

function describeOutcome(event: Extract<CallEvent, { type: 'call-settled' }>, redact: Redact): Partial<UnnumberedBody> {
  const { failure, result } = event;
  const message = failure === null ? null : redact(failure.message);
  const details = {
    ...(result.undoes.length === 0 ? {} : { undoes: result.undoes.join(' ') }),
    ...(failure?.rule === undefined ? {} : toRuleDetails(failure.rule)),
  };
  return {
    ...(event.durationMs === null ? {} : { duration: event.durationMs }),
    outputHash: sha256(result.content),
    ...(failure === null || message === null ? {} : { error: { code: failure.code, message: message.value } }),
    ...(message === null || message.count === 0 ? {} : { redacted: message.count }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

/** Where a rule let a command run, what ran is not the text that was asked, but the words that were read of it. */
function describeGrant({ rule, runs }: Grant): string {
  if (runs === undefined) return rule;
  const shown =
    runs.length <= MAX_SHOWN ? runs : `${runs.slice(0, MAX_SHOWN).toWellFormed()}… (SHA-256 ${sha256(runs)})`;
  return `${rule} It ran as: ${shown}`;
}

/** A run as its event has it. */
function toHookDetails(run: HookRun, redact: Redact): { readonly [name: string]: Json } {
  const { name, when, ms } = run;
  const said =
    'failed' in run
      ? { failed: redact(run.failed).value }
      : { decision: run.decision, reason: run.reason === null ? null : redact(run.reason).value };
  return { name, when, ...said, ms };
}

const MAX_SHOWN = 8000;

function redactNote(text: string, redact: Redact): Partial<UnnumberedBody> {
  const clean = redact(text);
  return { note: clean.value, ...(clean.count === 0 ? {} : { redacted: clean.count }) };
}

/**
 * The event that says that a range carries no signature. It is itself signed: from then on it is known which part
 * proves less.
 */
export function auditUnsignedRange(from: number, to: number): UnnumberedBody {
  const note =
    `Events ${from} to ${to} carry no signature: they were recorded before there was a key to sign with, while the key ` +
    'store was away, or by somebody else.';
  return { type: 'unsigned-range', note, details: { from, to } };
}

/** The person took a history for what it is, though it was not what the system's store knew. */
export function auditAccepted(upTo: number, because: string): UnnumberedBody {
  const note = `You accepted this history, up to event ${upTo}, as the one to go on with.`;
  return { type: 'accepted', note, details: { from: 1, to: upTo, because } };
}
