import type { Checkpoint } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { AuthorizedCall } from '../../../domain/call/call-stages.js';
import type { CommitReceipt, DeferredWrite } from '../../../domain/ports/journal.js';
import type { QueueTicket } from '../../../domain/ports/gate/place-queue.js';
import type { ToolProgress } from '../../../domain/tool/tool.js';

/**
 * How much of a call is on record before it is planned: nothing, that it was requested, or also that the request is
 * sound.
 */
export type OnRecord = 'nothing' | 'received' | 'validated';

/** The subject of a hooks' verdict: by which hooks, on which arguments, and when. */
export interface Hooked {
  readonly by: string;
  readonly arguments: JsonObject;
  /** Monotonic. */
  readonly at: number;
}

/** The state under which a call was judged. */
interface JudgedState {
  /** How many acts of its batch were over by then. */
  readonly judgedAfter: number;
  /** Null where no hook judged it. */
  readonly hooked: Hooked | null;
}

/** How much the journal lost of an append that was promised: that the call is about to run, or all of the call. */
type LostAppend = 'nothing' | 'start' | 'all';

/** A call that may run. */
interface GrantedState extends JudgedState {
  readonly call: AuthorizedCall;
  /** The ticket for its place to run in, or in the queue for one. */
  readonly ticket: QueueTicket | null;
  readonly lost: LostAppend;
}

/** The latest progress that a running call reported. */
interface ReportedProgress {
  readonly told: ToolProgress | null;
  readonly checkpoint: Checkpoint | null;
}

export interface PlanningStage extends JudgedState {
  readonly at: 'planning';
  readonly onRecord: OnRecord;
  /** The event that has to come before it is planned: the person opens its folder, or decides about unfinished work. */
  readonly waitsFor: 'nothing' | 'folder' | 'unfinished-work';
  /** A place that was taken for it while it was planned. */
  readonly ticket: QueueTicket | null;
}

/** Where a call stands, with what is true only there. */
export type CallStage =
  | PlanningStage
  | ({ readonly at: 'waiting'; readonly for: 'decision' | 'result' } & JudgedState)
  /** `started` holds the journal's proof where “about to run” was written with an earlier append. */
  | ({ readonly at: 'ready'; readonly started: CommitReceipt | DeferredWrite | null } & GrantedState)
  | ({ readonly at: 'running' } & GrantedState & ReportedProgress)
  /** The call ran, and its end is being written. */
  | ({ readonly at: 'ending' } & GrantedState & ReportedProgress)
  | { readonly at: 'settled' };

export type StageEvent =
  | { readonly type: 'wait-for'; readonly what: PlanningStage['waitsFor'] }
  | { readonly type: 'record'; readonly as: OnRecord }
  | { readonly type: 'judge'; readonly after: number }
  | { readonly type: 'hook'; readonly hooked: Hooked }
  | { readonly type: 'take-place'; readonly ticket: QueueTicket }
  | { readonly type: 'pass-place' }
  | { readonly type: 'ask'; readonly for: 'decision' | 'result' }
  /** `judgedAfter`: it was judged once more right now; left out, when it was planned. */
  | { readonly type: 'grant'; readonly call: AuthorizedCall; readonly judgedAfter?: number }
  | { readonly type: 'prove-start'; readonly started: CommitReceipt | DeferredWrite }
  | { readonly type: 'begin' }
  | { readonly type: 'tell'; readonly told: Partial<ReportedProgress> }
  | { readonly type: 'lose'; readonly what: Exclude<LostAppend, 'nothing'> }
  | { readonly type: 'end' }
  | { readonly type: 'settle' };

export const NEW: CallStage = {
  at: 'planning',
  onRecord: 'nothing',
  waitsFor: 'nothing',
  judgedAfter: 0,
  hooked: null,
  ticket: null,
};

/** Total: every pair has an answer, and null means that it can't happen. */
export function advance(stage: CallStage, event: StageEvent): CallStage | null {
  switch (event.type) {
    case 'wait-for':
      return stage.at === 'planning' ? { ...stage, waitsFor: event.what } : null;
    case 'record':
      return stage.at === 'planning' ? { ...stage, onRecord: event.as } : null;
    case 'judge':
      return stage.at === 'planning' ? { ...stage, judgedAfter: event.after } : null;
    case 'hook':
      return stage.at === 'settled' ? stage : { ...stage, hooked: event.hooked };
    case 'take-place':
      return stage.at === 'planning' || stage.at === 'ready' ? { ...stage, ticket: event.ticket } : null;
    case 'pass-place':
      return stage.at === 'running' || stage.at === 'ending' ? { ...stage, ticket: null } : null;
    case 'ask':
      return stage.at === 'planning' || stage.at === 'waiting'
        ? { at: 'waiting', for: event.for, ...judgedOf(stage) }
        : null;
    case 'grant':
      return granted(stage, event);
    case 'prove-start':
      return stage.at === 'ready' ? { ...stage, started: event.started } : null;
    case 'begin':
      return stage.at === 'ready' ? { at: 'running', ...grantedOf(stage), told: null, checkpoint: null } : null;
    case 'tell':
      return stage.at === 'running' ? { ...stage, ...event.told } : stage;
    case 'lose':
      return 'lost' in stage ? { ...stage, lost: event.what } : stage;
    case 'end':
      return stage.at === 'running' ? { ...stage, at: 'ending' } : null;
    case 'settle':
      return stage.at === 'settled' ? null : { at: 'settled' };
  }
}

function granted(stage: CallStage, { call, judgedAfter }: Extract<StageEvent, { type: 'grant' }>): CallStage | null {
  if (stage.at !== 'planning' && !(stage.at === 'waiting' && stage.for === 'decision')) return null;
  const judged = judgedOf(stage);
  return {
    at: 'ready',
    call,
    started: null,
    ticket: stage.at === 'planning' ? stage.ticket : null,
    lost: 'nothing',
    ...judged,
    judgedAfter: judgedAfter ?? judged.judgedAfter,
  };
}

const judgedOf = ({ judgedAfter, hooked }: JudgedState): JudgedState => ({ judgedAfter, hooked });

const grantedOf = ({ call, ticket, lost, ...judged }: GrantedState): GrantedState => ({
  call,
  ticket,
  lost,
  ...judgedOf(judged),
});

/**
 * Tells what withdrawing does to a call at this stage: where nothing was begun it ends at once, what is under way is
 * told to stop and ends by itself. A call that waits for the decision about unfinished work ends at once, too: it would
 * be requested again after a crash.
 */
export function withdrawalEffect(stage: CallStage): 'ends' | 'stops' | 'is over' {
  switch (stage.at) {
    case 'planning':
      return stage.waitsFor === 'unfinished-work' ? 'ends' : 'stops';
    case 'waiting':
    case 'ready':
      return 'ends';
    case 'running':
      return 'stops';
    case 'ending':
    case 'settled':
      return 'is over';
  }
}

/** Whether the journal knows the call. */
export function isOnRecord(stage: CallStage): boolean {
  switch (stage.at) {
    case 'planning':
      return stage.onRecord !== 'nothing';
    case 'waiting':
    case 'settled':
      return true;
    case 'ready':
    case 'running':
    case 'ending':
      return stage.lost !== 'all';
  }
}

/** The call that is to run, runs, or ran; null before, and when it is settled. */
export const grantedCall = (stage: CallStage): AuthorizedCall | null => ('call' in stage ? stage.call : null);
