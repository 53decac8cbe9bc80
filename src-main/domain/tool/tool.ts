import type { Effect } from '#contract/vocabulary/effects.js';
import type { Aftermath, ChangedFile, Checkpoint, Confinement, RiskLevel } from '#contract/vocabulary/calls.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { AllowedNetwork, NeededHosts } from '#contract/vocabulary/network.js';
import type { Nature, UndoExtentOf } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { FileChange } from '../lp1/write.js';
import type { CommandEvent, StoredOutput } from '../call/outputs.js';
import type { GrantedCommands } from '../ports/command-runner.js';
import type { JailedPath, Sandbox } from '../ports/workspace/sandbox.js';
import type { ReadLog } from '../ports/workspace/read-log.js';
import type { WorkspaceTransaction } from '../ports/workspace/transaction.js';
import type { Reading } from '../commands/reading/reading.js';
import type { TermsSituation, ToolTerms } from './terms.js';
import type { Unattended } from '../policy/unattended.js';
import type { DoorContext } from '../call/door-context.js';
import type { RequestedLimits } from '../call/call-options.js';

export type Capability = 'filesystem.read' | 'filesystem.write' | 'process.run' | 'network' | 'upstream';

/**
 * The limits that a tool declares (seed 000 §4.1, resourceLimits): what it needs at most, and so gets at most
 * (declared-limits.ts).
 */
export interface ResourceLimits {
  readonly maxExecutionTimeMs: number;
  readonly maxOutputBytes: number;
  /** The bytes of memory that its processes may hold; its calls run beside others only where there is so much. */
  readonly maxMemory?: number;
  /** The largest file that it, or a command of it, writes. */
  readonly maxFileSize?: number;
}

/**
 * The limits that a tool of a nature may declare. Memory is limited by process, so only a tool that runs in processes
 * of its own may promise how much it needs (ADR 0020).
 */
type ResourceLimitsOf<N extends Nature> = N extends 'command'
  ? ResourceLimits
  : Omit<ResourceLimits, 'maxMemory'> & { readonly maxMemory?: never };

/** A tool's declaration: seed 000 §4.1 and seed 002 §3.1 together. */
export interface ToolDeclaration<N extends Nature = Nature> {
  readonly id: string;
  readonly version: string;
  /** The name that a model calls it by. */
  readonly name: string;
  /** The name that a person reads. */
  readonly title: string;
  readonly description: string;
  readonly nature: N;
  readonly takesBack: UndoExtentOf<N>;
  readonly inputSchema: JsonObject;
  /** The schema of `ToolOutput.structured`. */
  readonly outputSchema: JsonObject;
  readonly requiredCapabilities: readonly Capability[];
  readonly resourceLimits: ResourceLimitsOf<N>;
  readonly deterministic: boolean;
  readonly idempotent: boolean;
  readonly sideEffecting: boolean;
  readonly requiresApproval: boolean;
  readonly risk: RiskLevel;
  readonly openWorld: boolean;
  readonly destructive: boolean;
  /** The digest, where others define the tool, of all that the person accepted of it and of where it comes from. */
  readonly accepted?: string;
  /**
   * Present for a tool of the domain's package: it works in no folder, waits by that package's policies, and asks as
   * the person took it with that.
   */
  readonly ofDomain?: true;
}

/**
 * The most that its process of one call may have; null: nothing bounds it but the machine. Left out: it can't be held
 * to any.
 */
export interface ProcessBounds {
  readonly memoryBytes?: number | null;
  readonly cpuMillicores?: number | null;
}

/** Thrown by a handler to end its call in a known way. Anything else it throws becomes a sanitized `Internal`. */
export class ToolFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options);
    this.name = 'ToolFailure';
    this.failure = failure;
  }
}

/** The findings of planning about one call, made without doing anything. */
export interface Preflight {
  /** The tool's own risk, or more: control files are high. */
  readonly risk: RiskLevel;
  /**
   * The reason, in one sentence, why the call must be asked about whatever the policy says; null where there is none.
   */
  readonly mustAsk: string | null;
  /**
   * Files of secrets whose values it would be given, as they were asked for: the person may reveal them to this one
   * call.
   */
  readonly secrets?: readonly string[];
  /** Paths outside the folder that a command names. Left out: none. */
  readonly outside?: readonly string[];
  /** Paths outside the folder that the person's settings let a process here read. Left out: none. */
  readonly readable?: readonly string[];
  /** The hosts that a command is known to need, which the person may allow it. Left out: none are. */
  readonly needs?: NeededHosts;
  /** Whether a command names hosts that can’t be told before it runs. */
  readonly unknownHosts?: boolean;
  /** Whether a command may run unasked where the person's settings say so. Left out: it may not. */
  readonly unasked?: Unattended;
}

/** The ports that a handler may look at while planning, where it plans on files: paths and nothing else. */
export interface PlanContext {
  readonly sandbox: Sandbox;
  readonly config: Config;
}

/**
 * The same for a tool that runs elsewhere: it has no business with the files of this machine, not to look at either.
 */
type RemotePlanContext = Pick<PlanContext, 'config'>;

/** Whether anything in a content looks like a secret. */
export type FindsSecrets = (content: Uint8Array) => Promise<boolean>;

interface LocalPreflightContext extends PlanContext {
  readonly findsSecrets: FindsSecrets;
}

interface LocalEffectContext extends PlanContext {
  readonly readLog: ReadLog;
  readonly foreseen: EarlierEffects;
  /**
   * Tells the content of a file that the sheet shows as changed: the SHA-256 of what it is changed from, null for
   * nothing, and what it becomes.
   */
  readonly shows: (path: JailedPath, sha256: string | null, after: Uint8Array | null) => void;
}

/** The context of the first look, before anybody is asked. */
export type PreflightContext<N extends Nature = Nature> = N extends 'remote'
  ? RemotePlanContext
  : LocalPreflightContext;
/** The context of the second look, for the sheet. */
export type EffectContext<N extends Nature = Nature> = N extends 'remote' ? RemotePlanContext : LocalEffectContext;

/**
 * Narrows a planning context to what a handler of this nature may have: a port that is not in its type is not there
 * either.
 */
export function narrowPlanContext<Here extends PlanContext>(nature: Nature, all: Here): Here | RemotePlanContext {
  return nature === 'remote' ? { config: all.config } : all;
}

/** The effects that earlier calls of the batch will have had when this one runs. By canonical path. */
export interface EarlierEffects {
  /** The future content of a file; null where it will be gone, undefined where none of them changes it. */
  readonly content: (path: string) => Uint8Array | null | undefined;
  readonly isRead: (path: string) => boolean;
}

export const NO_EARLIER_EFFECTS: EarlierEffects = { content: () => undefined, isRead: () => false };

export interface RuleCommand {
  readonly runs: string;
  readonly leastConfinement: Confinement;
}

/** The ports that every handler has. Made fresh for each call (FR-REG-04a). */
export interface CallContext {
  readonly callId: string;
  readonly config: Config;
  /** Aborted on cancel and on time-out. Long work must look at it. */
  readonly signal: AbortSignal;
  /** min(max_output_bytes, capacity), FR-OUT-04. */
  readonly outputLimit: number;
  readonly capacityBytes: number;
  readonly timeoutMs: number;
  /** Streams output to whoever watches; resolves when there is room for more. */
  readonly emit: (stream: 'stdout' | 'stderr', text: string) => Promise<void>;
}

interface ReadingContext extends CallContext {
  readonly sandbox: Sandbox;
  readonly readLog: ReadLog;
  readonly findsSecrets: FindsSecrets;
}

interface FilesContext extends ReadingContext {
  readonly transaction: WorkspaceTransaction;
}

interface CommandContext extends CallContext {
  readonly sandbox: Sandbox;
  readonly commands: GrantedCommands;
  /** The network that the person allowed this one call. */
  readonly network: AllowedNetwork;
  /** Whether the person let this one call write to `.git`. */
  readonly writesGit: boolean;
  /** Whether the person said yes to this very call, and not a rule. */
  readonly byPerson: boolean;
  /**
   * The command that runs in place of the text where a rule lets it run, and the least confinement that it must have.
   */
  readonly byRule: RuleCommand | null;
  readonly onCommandEvent: (event: CommandEvent) => void;
}

/** The ports of a tool that runs elsewhere, or in a program of its source's. */
interface RemoteContext extends CallContext {
  /**
   * The folder of the call, by its real path; null where none is open. Its terms say how much of it its source may see.
   */
  readonly folder: string | null;
  readonly terms: ToolTerms;
  /** The limits that its caller asked for, of those that a process of its own can be held to. */
  readonly limits: Pick<RequestedLimits, 'memoryBytes' | 'cpuMillicores' | 'timeoutMs'>;
  /** The values that its door gave along; null where it gave none. */
  readonly pocket: DoorContext | null;
  readonly onProgress: (progress: ToolProgress) => void;
  readonly onCheckpoint: (checkpoint: Checkpoint) => void;
  /**
   * Stops the call's clock, as long as the settings let a person be waited for, until the returned function is called.
   */
  readonly waitsForPerson?: () => () => void;
}

/** The progress of a call, as the program that runs it tells it. */
export interface ToolProgress {
  /** Null where only its phase is told. */
  readonly percent: number | null;
  readonly phase: string | null;
}

interface ContextsByNature {
  readonly reads: ReadingContext;
  readonly files: FilesContext;
  readonly command: CommandContext;
  readonly remote: RemoteContext;
}

/** The context that a handler gets: the ports of its nature, and no others. */
export type ToolContext<N extends Nature = Nature> = ContextsByNature[N];

export interface SurroundingText {
  readonly before: string;
  readonly after: string;
}

export interface ToolOutput {
  /** The text that the caller gets (seed 002's string). */
  readonly content: string;
  /**
   * The output as JSON; conforms to the declaration's output schema. Null only where that schema is another's, and is
   * checked by who asked there.
   */
  readonly structured: JsonObject | null;
  /** False where the tool limits itself (binary reads, listings, commands). */
  readonly allowTruncation: boolean;
  /**
   * The text before and behind the content, where that was cut out of a longer text. Secrets are found in all of it.
   */
  readonly around?: SurroundingText;
  /** The paths that it names below its folder: text too, and not all of it need be the folder's own. */
  readonly names?: readonly string[];
  readonly outputBytes: number;
  readonly outputBytesLeftOut: number;
  /** The number of places that were redacted already while it came. */
  readonly redactions?: number;
  /**
   * The unredacted content, where something was redacted. It is sealed or not kept, and given to nobody but by the
   * person's word.
   */
  readonly whole?: string;
  /** The number of control characters that were taken out already while it came. */
  readonly controlCharactersRemoved?: number;
  /** The calls whose changes this one undid, the latest first. */
  readonly undoes?: readonly string[];
  readonly storedOutputs: readonly StoredOutput[];
  /** Changes that went round the transaction (a command's); the transaction adds its own. */
  readonly changedFiles: readonly ChangedFile[];
  /** Folders that it made, by path from its folder, besides those that the transaction made. */
  readonly createdFolders?: readonly string[];
  /** Further facts about what the call left, where there can be any. */
  readonly aftermath?: Omit<Aftermath, 'warnings' | 'checkpoint'>;
  /** Warnings for its caller although it went well. */
  readonly warnings?: readonly string[];
  readonly confinement: Confinement | null;
  readonly resources: { readonly cpuMs: number; readonly peakMemoryBytes: number } | null;
}

/** A failed command still has output, and the person wants it. Carried beside the failure. */
export interface FailedOutput extends ToolOutput {
  /** Why the person is to be asked the next time: it ran unasked, and lacked something that they could have given. */
  readonly askAgain?: string;
  /** Paths that were hidden from it, and that it failed for: a person could let it read these. Left out: none. */
  readonly hidden?: readonly string[];
}

export class ToolFailureWithOutput extends ToolFailure {
  readonly output: FailedOutput;
  /** `cause`: what was thrown that named no failure. */
  constructor(failure: Failure, output: FailedOutput, options?: ErrorOptions) {
    super(failure, options);
    this.output = output;
  }
}

/** The output of what said nothing. */
export const NO_OUTPUT: ToolOutput = {
  content: '',
  structured: null,
  allowTruncation: true,
  outputBytes: 0,
  outputBytesLeftOut: 0,
  storedOutputs: [],
  changedFiles: [],
  confinement: null,
  resources: null,
};

/** The scope of a remembered yes: the tool, or words that it was asked with. */
export type RuleScope = { readonly of: 'tool' } | { readonly of: 'words'; readonly words: string };

/**
 * A tool: its declaration, and what it does. `Args` is the one parse of its arguments; `Understood` is what these mean
 * where they are to be used, read once and handed on.
 */
export interface Tool<Args = Json, N extends Nature = Nature, Understood = unknown> {
  readonly declaration: ToolDeclaration<N>;
  /**
   * The bounds of its process, where it starts one for each call, elsewhere than a command does. Left out: nothing
   * bounds it.
   */
  readonly bounds?: ProcessBounds;
  /** The tool's own time-out, from the configuration; null means the default. */
  timeoutMs(config: Config): number | null;
  /** The part of that for what has to be started before its own time begins. Left out: none. */
  readonly startMs?: number;
  /** The terms that a call of it would get. Pure. */
  termsFor(situation: TermsSituation): ToolTerms;
  ruleScope(args: Args): RuleScope;
  /** Parses the arguments after the schema said yes. Throws ToolFailure(BadArgs) for what a schema can't say. Pure. */
  parse(args: JsonObject): Args;
  /**
   * Sums up the call in a line. Pure: no I/O (FR-REG-01a). Raw; the planner sanitizes, redacts and shortens it. `named`
   * gives a path's name from the workspace, however it was asked for.
   */
  summary(args: Args, named: (path: string) => string): string;
  /**
   * Reads what the arguments mean here. `before`: the earlier understanding, given again where all that it hung on is
   * the same. Left out: the arguments say it all, and null is handed on.
   */
  understand?(args: Args, context: PreflightContext<N>, before: Understood | null): Promise<Understood>;
  /** The reading that rules for words go by; left out where its rules are for the tool. */
  getReading?(understood: Understood): Reading;
  /** Looks at paths; throws ToolFailure to settle the call before anybody is asked. */
  preflight(args: Args, context: PreflightContext<N>, understood: Understood): Promise<Preflight>;
  /** Works out the effect itself, for the approval sheet. Reads, never writes. */
  effect(args: Args, context: EffectContext<N>, understood: Understood): Promise<Effect>;
  /**
   * Foresees the failure of a call that could only fail now; null where it may work. Reads, never writes. Left out:
   * nothing is known before it runs.
   */
  foresee?(args: Args, context: EffectContext<N>, understood: Understood): Promise<Failure | null>;
  execute(args: Args, context: ToolContext<N>, understood: Understood): Promise<ToolOutput>;
  /**
   * Finds the arguments that leave each of these files as given: the person's own version of a file is what is asked
   * for then. Null where none do; left out where it changes no files by its arguments. Pure.
   */
  findArgumentsFor?(args: JsonObject, files: readonly FileChange[]): JsonObject | null;
  /**
   * Names of arguments whose bytes another limit already bounds (`patch`, `content`), left out of max_tool_args_bytes.
   */
  readonly argumentsBoundedElsewhere: readonly string[];
}
