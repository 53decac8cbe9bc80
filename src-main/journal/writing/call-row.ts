import {
  type Aftermath,
  type CallSummary,
  type ChangedFile,
  type Decider,
  NO_AFTERMATH,
  type CallOrigin,
} from '#contract/vocabulary/calls.js';
import type { CallDisplayState } from '#contract/vocabulary/lifecycle.js';
import { CODE_MEANINGS, type Failure } from '#contract/vocabulary/outcomes.js';
import type { CallFact, Grant, JournalEvent, SettledResult } from '../../domain/call/journal-events.js';
import { applyFact } from '../../domain/call/lifecycle.js';

/** A row of `calls`, as SQLite has it. */
export interface CallRow extends Pick<
  CallSummary,
  | 'callId'
  | 'tool'
  | 'toolId'
  | 'nature'
  | 'state'
  | 'awaiting'
  | 'summary'
  | 'risk'
  | 'timeoutMs'
  | 'outcome'
  | 'code'
  | 'reason'
  | 'startedAt'
  | 'executingSince'
  | 'durationMs'
  | 'confinement'
  | 'decidedBy'
  | 'exitCode'
> {
  /** 0 until it is stored. */
  readonly id: number;
  readonly batch: number;
  readonly position: number;
  readonly requestId: string | null;
  readonly toolVersion: string | null;
  readonly sideEffecting: number;
  /** The hash of the arguments as they are stored; '' until they are. */
  readonly inputHash: string;
  readonly settled: number;
  /** JSON: what was granted. */
  readonly capabilities: string;
  readonly attempts: number;
  readonly pid: number | null;
  readonly startTicks: string | null;
  readonly mark: string | null;
  readonly hasChanges: number;
  readonly hasOutput: number;
  readonly cpuMs: number | null;
  readonly peakMemoryBytes: number | null;
  /** Ids with a space between; most are one. */
  readonly undoes: string | null;
  readonly undoneBy: string | null;
  /** How many places were blotted out of arguments, result and output. */
  readonly redactions: number;
  readonly linesAdded: number | null;
  readonly linesRemoved: number | null;
  /** JSON; '' for our own words, null until it is settled. */
  readonly said: string | null;
}

/** A row of `bodies`. Everything but the numbers is JSON, except `result`. */
export interface BodyRow {
  readonly arguments: string;
  readonly originalArguments: string | null;
  readonly failure: string | null;
  readonly result: string | null;
  readonly structured: string | null;
  readonly outputBytes: number;
  readonly outputBytesLeftOut: number;
  readonly storedOutputs: string;
  readonly changedFiles: string;
  /** Null where there is nothing to say. */
  readonly aftermath: string | null;
  /** The arguments whole, where secrets were taken out of them: sealed. */
  readonly sealed: Uint8Array | null;
  /** The result likewise. */
  readonly sealedResult: Uint8Array | null;
}

export interface BatchRow extends CallOrigin {
  readonly id: number;
  readonly batchId: string;
  /** JSON. */
  readonly credential: string | null;
  readonly sessionId: string;
  readonly workspace: string;
  readonly mode: 'parse_only' | 'enabled' | 'disabled';
}

export type CallEvent = Extract<JournalEvent, { readonly callId: string }>;
export type CallReceived = Extract<JournalEvent, { readonly type: 'call-received' }>;

export function createCallRow(event: CallReceived, batch: number, at: number): CallRow {
  return {
    id: 0,
    callId: event.callId,
    batch,
    position: event.index,
    requestId: event.requestId,
    tool: event.tool,
    toolId: event.toolId,
    toolVersion: event.toolVersion,
    nature: event.nature,
    sideEffecting: event.sideEffecting ? 1 : 0,
    inputHash: '',
    state: 'DECLARED',
    settled: 0,
    awaiting: null,
    summary: event.tool,
    risk: null,
    capabilities: '[]',
    timeoutMs: null,
    attempts: 0,
    outcome: null,
    code: null,
    reason: null,
    startedAt: at,
    executingSince: null,
    durationMs: null,
    confinement: null,
    pid: null,
    startTicks: null,
    mark: null,
    hasChanges: 0,
    hasOutput: 0,
    cpuMs: null,
    peakMemoryBytes: null,
    undoes: null,
    undoneBy: null,
    redactions: event.withheld?.count ?? 0,
    decidedBy: null,
    exitCode: null,
    linesAdded: null,
    linesRemoved: null,
    said: null,
  };
}

/** Folds one more fact into a call. Throws for a fact that can't follow in the lifecycle. */
export function foldCall(before: CallRow, event: CallFact, at: number): CallRow {
  const state = before.settled === 0 ? applyFact(before.state, event) : null;
  if (state === null) {
    const stands = before.settled === 0 ? before.state : `settled (${before.state})`;
    throw new Error(`Call ${before.callId} is ${stands}; ${event.type} can't follow.`);
  }
  const row = { ...before, state };
  switch (event.type) {
    case 'call-validated':
      return { ...row, summary: event.summary, risk: event.risk, timeoutMs: event.timeoutMs };
    case 'call-awaiting':
      return { ...row, awaiting: event.for };
    case 'call-hook':
      return row;
    case 'call-queued':
      return { ...row, reason: event.why };
    case 'call-edited':
      return {
        ...row,
        summary: event.summary,
        risk: event.risk,
        redactions: Math.max(row.redactions, event.withheld?.count ?? 0),
      };
    case 'call-authorized':
      return {
        ...row,
        awaiting: null,
        capabilities: JSON.stringify(event.grant.capabilities),
        decidedBy: GRANTED_BY[event.grant.by],
      };
    case 'call-executing':
      return {
        ...row,
        awaiting: null,
        reason: null,
        attempts: event.attempt,
        executingSince: row.executingSince ?? at,
      };
    case 'call-process':
      return {
        ...row,
        pid: event.pid,
        startTicks: event.startTicks,
        mark: event.mark,
        confinement: event.confinement,
      };
    case 'call-retrying':
      return row;
    case 'call-settled':
      return {
        ...row,
        settled: 1,
        awaiting: null,
        outcome: event.failure === null ? 'success' : CODE_MEANINGS[event.failure.code].kind,
        code: event.failure?.code ?? null,
        reason: event.failure === null ? null : readReason(event.failure),
        durationMs: event.durationMs,
        confinement: event.result.confinement ?? row.confinement,
        hasChanges: event.result.changedFiles.length > 0 ? 1 : 0,
        hasOutput: event.result.storedOutputs.some(({ stream, bytes }) => bytes > 0 && !stream.startsWith('kept-'))
          ? 1
          : 0,
        cpuMs: event.result.cpuMs,
        peakMemoryBytes: event.result.peakMemoryBytes,
        undoes: event.result.undoes.length === 0 ? null : event.result.undoes.join(' '),
        decidedBy: row.decidedBy ?? findRefuser(event.failure),
        exitCode: readExitCode(row, event.result),
        ...countLines(event.result.changedFiles),
        redactions: row.redactions + event.result.redactions,
        said: event.said === undefined ? null : event.said === null ? '' : JSON.stringify(event.said),
      };
  }
}

const GRANTED_BY: Readonly<Record<Grant['by'], Decider>> = {
  person: 'person',
  'standing-confirmation': 'rule',
  policy: 'settings',
  'result-submission': 'person',
};

/** The decider of a refusal. A call that was refused for what it is was decided by nobody. */
function findRefuser(failure: Failure | null): Decider | null {
  if (failure?.code === 'DeniedByPerson') return 'person';
  return failure?.rule === undefined ? null : 'settings';
}

function readExitCode({ nature }: CallRow, { structured }: SettledResult): number | null {
  const code = nature === 'command' ? structured?.['exitCode'] : null;
  return typeof code === 'number' && Number.isInteger(code) ? code : null;
}

function countLines(files: readonly ChangedFile[]): Pick<CallRow, 'linesAdded' | 'linesRemoved'> {
  const counted = files.flatMap(({ lines }) => lines ?? []);
  if (counted.length === 0) return { linesAdded: null, linesRemoved: null };
  return {
    linesAdded: counted.reduce((sum, { added }) => sum + added, 0),
    linesRemoved: counted.reduce((sum, { removed }) => sum + removed, 0),
  };
}

function readReason(failure: Failure): string {
  return failure.code === 'DeniedByPerson' ? (failure.reason ?? failure.message) : failure.message;
}

export function toSummary(
  row: CallRow,
  batch: Pick<BatchRow, 'batchId' | 'door' | 'client' | 'agent' | 'tenant' | 'user' | 'workspace' | 'sessionId'>,
): CallSummary {
  return {
    callId: row.callId,
    batchId: batch.batchId,
    tool: row.tool,
    toolId: row.toolId,
    version: row.toolVersion,
    nature: row.nature,
    summary: row.summary,
    workspace: batch.workspace,
    state: row.state,
    display: toDisplayState(row),
    awaiting: row.awaiting,
    outcome: row.outcome,
    code: row.code,
    reason: row.reason,
    door: batch.door,
    client: batch.client,
    agent: batch.agent,
    tenant: batch.tenant,
    user: batch.user,
    session: batch.sessionId,
    risk: row.risk,
    startedAt: row.startedAt,
    executingSince: row.executingSince,
    timeoutMs: row.timeoutMs,
    durationMs: row.durationMs,
    confinement: row.confinement,
    hasChanges: row.hasChanges !== 0,
    lines:
      row.linesAdded === null || row.linesRemoved === null
        ? null
        : { added: row.linesAdded, removed: row.linesRemoved },
    exitCode: row.exitCode,
    decidedBy: row.decidedBy,
    hasOutput: row.hasOutput !== 0,
  };
}

function toDisplayState(row: CallRow): CallDisplayState {
  if (row.settled === 0) return row.state === 'EXECUTING' ? 'executing' : 'pending';
  return row.code === null ? 'completed' : CODE_MEANINGS[row.code].display;
}

export function readChangedFiles(body: Pick<BodyRow, 'changedFiles'>): readonly ChangedFile[] {
  return JSON.parse(body.changedFiles) as readonly ChangedFile[];
}

export const readUndoes = ({ undoes }: Pick<CallRow, 'undoes'>): readonly string[] => undoes?.split(' ') ?? [];

export const readAftermath = ({ aftermath }: Pick<BodyRow, 'aftermath'>): Aftermath =>
  aftermath === null ? NO_AFTERMATH : (JSON.parse(aftermath) as Aftermath);
