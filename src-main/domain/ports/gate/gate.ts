import type { CallSummary, Checkpoint, Door } from '#contract/vocabulary/calls.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Asker, AskingDoor } from '../../call/asker.js';
import type { DoorContext } from '../../call/door-context.js';
import type { CallOptions } from '../../call/call-options.js';
import type { ConversationEvent } from '../../conversation/conversation-events.js';
import type { SettledResult } from '../../call/journal-events.js';
import type { ToolDeclaration, ToolProgress } from '../../tool/tool.js';

/** The gate, as every door speaks to it. A door turns its own words into this and back, and nothing else. */
export interface Gate {
  /** Records, plans, asks, runs. Never throws for what a caller did; every call ends with exactly one result. */
  submit(request: BatchRequest<AskingDoor>): Batch;
  /**
   * The tools that are offered to agents in a folder now: the registry in enabled mode, the person's definitions too in
   * parse_only, nothing when disabled; without those that the denylist denies. Sorted by name. `used`: names of tools
   * that stay listed where there are too many to list all.
   */
  listAdvertised(folder: string, used?: ReadonlySet<string>): readonly AdvertisedTool[];
  /**
   * A call that is under way, for a caller that did not ask for it in this run or has no handle on it; null where it is
   * over, or never was.
   */
  findActiveCall(callId: string): BatchCall | null;
  /**
   * Gives a call's result again to this asker, in the folder that they are in: on record as given when it resolves.
   * False where that can't be written: then it is not to be told.
   */
  giveResult(asker: Asker, folder: string, callId: string): Promise<boolean>;
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
  /** The folder that all calls run in, by its real path; '' where none is open. */
  readonly folder: string;
  readonly calls: readonly RequestedCall[];
  /** The space that the results may take (FR-REG-04b), for the conversation; null where there is no model of ours. */
  readonly capacityBytes: number | null;
  /**
   * A batch that stays open: calls of one MCP client that are in flight together share it (and its approval sheet),
   * each starts when it may, and max_tool_calls_per_batch counts those that wait for a decision.
   */
  readonly joinable: boolean;
  /** The failure that settles all calls, unrun: they are past the allowed iterations (FR-RES-03). */
  readonly refuseAll?: Failure;
  /**
   * The admission to a folder that the person has yet to let the caller into: nothing is planned before. Left out where
   * it is open.
   */
  readonly admission?: FolderAdmission;
  /**
   * Gives the events that are recorded in one append with the batch and its calls, before any of them runs (FR-RES-01);
   * the ids are theirs, in order. Where that append fails, neither is recorded.
   */
  readonly with?: (callIds: readonly string[]) => readonly ConversationEvent[];
}

/** A call that can't begin before its folder is open. */
export interface CallAwaitingFolder {
  readonly callId: string;
  readonly batchId: string;
  readonly tool: string;
  readonly asker: Asker;
}

export interface FolderAdmission {
  /** Resolves when the folder is open, or with why nothing runs there; `gone`: nobody waits for the answer any more. */
  admit(call: CallAwaitingFolder, gone: AbortSignal): Promise<Failure | null>;
  /** False once it was let in: from then on its calls go as in any folder. */
  isNeeded(): boolean;
}

export interface RequestedCall {
  /** The door's own id; duplicates within a batch are refused. Null where the door has none. */
  readonly requestId: string | null;
  readonly tool: string;
  /** The arguments as they came: any JSON. */
  readonly arguments: Json;
  /** The call's id, where its door chose that and nothing else has it; left out: the gate chooses. */
  readonly callId?: string;
  readonly wanted?: CallOptions;
  /** Values that go to the tool that runs it, and back. */
  readonly pocket?: DoorContext;
}

export interface SettledCall {
  readonly summary: CallSummary;
  readonly failure: Failure | null;
  readonly result: SettledResult;
  /** False when the journal could not record it (the result says so). */
  readonly recorded: boolean;
  /** The arguments that the person changed before it ran, by name; empty where it ran as it was asked. */
  readonly edited: readonly string[];
}

export interface BatchCall {
  readonly callId: string;
  readonly settled: Promise<SettledCall>;
  /** The last progress that it told; null as long as it told nothing. */
  readonly told: ToolProgress | null;
  /** The last checkpoint that it said it had passed; null as long as it said none. */
  readonly checkpoint: Checkpoint | null;
  /** Cancels this call, waiting or running. */
  cancel(): void;
  /** Ends the call, waiting or running, as one that timed out: its caller's time is over. */
  expire(): void;
  /** Listens to what happens meanwhile. For showing progress; never the truth. */
  onProgress(listener: (progress: CallProgress) => void): () => void;
  /**
   * Listens to the call's output while it runs, for whoever passes it on: that its asker was given it is on record
   * before it is heard.
   */
  onOutput(listener: (output: CallOutput) => void): () => void;
}

export type CallProgress =
  | { readonly type: 'waiting-for-decision' }
  | { readonly type: 'waiting-for-result' }
  | { readonly type: 'waiting-for-place' }
  | { readonly type: 'executing' }
  /** Progress as the running tool tells it. */
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
  /** The results of this request's calls, in order. */
  readonly settled: Promise<readonly SettledCall[]>;
  cancel(): void;
  /** Keeps the calls for the person after the caller left (`when_client_leaves = "keep"`). */
  abandon(): void;
  /** Closes the batch once the results were given back: it needs no recovery any more. */
  close(): void;
}
