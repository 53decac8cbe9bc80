import type { CallSummary, Checkpoint, Door } from '#contract/vocabulary/calls.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Asker, AskingDoor } from '../../call/asker.js';
import type { Pocket } from '../../call/pocket.js';
import type { Wanted } from '../../call/wanted.js';
import type { ConversationEvent } from '../../conversation/conversation-events.js';
import type { SettledResult } from '../../call/journal-events.js';
import type { ToolDeclaration, ToolProgress } from '../../tool/tool.js';

/** What every door speaks to. A door turns its own words into this and back, and nothing else. */
export interface Gate {
  /** Records, plans, asks, runs. Never throws for what a caller did; every call ends with exactly one result. */
  submit(request: BatchRequest<AskingDoor>): Batch;
  /**
   * What is offered to agents in a folder now: the registry in enabled mode, the person's definitions too in parse_only, nothing
   * when disabled; without what the denylist denies. Sorted by name. `used`: names of tools that stay listed where there are too many
   * to list all.
   */
  advertised(folder: string, used?: ReadonlySet<string>): readonly AdvertisedTool[];
  /** A call that is under way, for whoever did not ask for it in this run or has no handle on it; null where it is over, or never was. */
  underWay(callId: string): BatchCall | null;
  /**
   * What a call said is told again to who asks now, in the folder that they are in: on record as given when it resolves. False where
   * that can't be written: then it is not to be told.
   */
  give(asker: Asker, folder: string, callId: string): Promise<boolean>;
  /** Tools or the mode changed. */
  onAdvertisedChange(listener: () => void): () => void;
}

export interface AdvertisedTool {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  /** Null for tools that the person defined in their configuration. */
  readonly declaration: ToolDeclaration | null;
}

export interface BatchRequest<At extends Door = Door> {
  readonly asker: Asker<At>;
  /** The folder that all of it happens in, by its real path; '' where none is open. */
  readonly folder: string;
  readonly calls: readonly RequestedCall[];
  /** FR-REG-04b, for the conversation; null where there is no model of ours. */
  readonly capacityBytes: number | null;
  /**
   * A batch that stays open: calls of one MCP client that are in flight together share it (and its approval sheet),
   * each starts when it may, and max_tool_calls_per_batch counts those that wait for a decision.
   */
  readonly joinable: boolean;
  /** FR-RES-03: calls past the allowed iterations are settled with this message, unrun. */
  readonly refuseAll?: Failure;
  /** The folder is still to be let in to: nothing of it is planned before. Left out where it is open. */
  readonly admission?: FolderAdmission;
  /**
   * FR-RES-01: what is recorded in one append with the batch and its calls, before any of them runs; the ids are theirs,
   * in order. Where that append fails, neither is recorded.
   */
  readonly with?: (callIds: readonly string[]) => readonly ConversationEvent[];
}

/** A call that can't begin before its folder is open. */
export interface AwaitingFolder {
  readonly callId: string;
  readonly batchId: string;
  readonly tool: string;
  readonly asker: Asker;
}

export interface FolderAdmission {
  /** Resolves when the folder is open, or with why nothing runs there; `gone`: nobody waits for the answer any more. */
  admit(call: AwaitingFolder, gone: AbortSignal): Promise<Failure | null>;
  /** False once it was let in: from then on its calls go as in any folder. */
  isNeeded(): boolean;
}

export interface RequestedCall {
  /** The door's own id; duplicates within a batch are refused. Null where the door has none. */
  readonly requestId: string | null;
  readonly tool: string;
  /** As it came: anything. */
  readonly arguments: Json;
  /** What the call is to be known by, where its door chose that and nothing else has it; left out: the gate chooses. */
  readonly callId?: string;
  readonly wanted?: Wanted;
  /** For the tool that runs it, and back. */
  readonly pocket?: Pocket;
}

export interface SettledCall {
  readonly summary: CallSummary;
  readonly failure: Failure | null;
  readonly result: SettledResult;
  /** False when the journal could not record it (the result says so). */
  readonly recorded: boolean;
  /** Which of its arguments the person changed before it ran; nothing where it ran as it was asked. */
  readonly edited: readonly string[];
}

export interface BatchCall {
  readonly callId: string;
  readonly settled: Promise<SettledCall>;
  /** How far it had come when it told so last; null as long as it told nothing. */
  readonly told: ToolProgress | null;
  /** The last point that it said it had passed; null as long as it said none. */
  readonly checkpoint: Checkpoint | null;
  /** Cancels this call, waiting or running. */
  cancel(): void;
  /** Its caller's time is over, whether it waits or runs: it ends as one that timed out. */
  expire(): void;
  /** What happens meanwhile. For progress; never the truth. */
  onProgress(listener: (progress: CallProgress) => void): () => void;
  /** What it says while it runs, for who passes it on: that its asker was given it is on record before it is heard. */
  onOutput(listener: (output: CallOutput) => void): () => void;
}

export type CallProgress =
  | { readonly type: 'waiting-for-decision' }
  | { readonly type: 'waiting-for-result' }
  | { readonly type: 'waiting-for-place' }
  | { readonly type: 'executing' }
  /** Told by what runs it. */
  | ({ readonly type: 'progress' } & ToolProgress)
  | ({ readonly type: 'checkpoint' } & Checkpoint);

export interface CallOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

export interface Batch {
  readonly batchId: string;
  /** Only the calls of this request, in order; a joined batch may hold more. */
  readonly calls: readonly BatchCall[];
  /** All of this request's calls, in order. */
  readonly settled: Promise<readonly SettledCall[]>;
  cancel(): void;
  /** The caller left and wants the calls kept for the person (`when_client_leaves = "keep"`). */
  abandon(): void;
  /** The results were given back: the batch needs no recovery any more. */
  close(): void;
}
