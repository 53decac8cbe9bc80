import type { Effect } from '#contract/vocabulary/effects.js';
import type { Aftermath, ChangedFile, Checkpoint, Confinement, RiskLevel } from '#contract/vocabulary/calls.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { AllowedNetwork, NeededHosts } from '#contract/vocabulary/network.js';
import type { Nature, TakesBackOf } from '#contract/vocabulary/nature.js';
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
import type { Unasked } from '../policy/unasked.js';
import type { Pocket } from '../call/pocket.js';
import type { WantedLimits } from '../call/wanted.js';

export type Capability = 'filesystem.read' | 'filesystem.write' | 'process.run' | 'network' | 'upstream';

/** Seed 000 §4.1's resourceLimits: what a tool needs at most, and so gets at most (bounds.ts). */
export interface ResourceLimits {
  readonly maxExecutionTimeMs: number;
  readonly maxOutputBytes: number;
  /** Bytes that what it starts may hold; its calls run beside others only where there is so much. */
  readonly maxMemory?: number;
  /** Of a file that it, or a command of it, writes. */
  readonly maxFileSize?: number;
}

/** Memory is held to by process, so only what runs in processes of its own may promise how much it needs (ADR 0020). */
type ResourceLimitsOf<N extends Nature> = N extends 'command'
  ? ResourceLimits
  : Omit<ResourceLimits, 'maxMemory'> & { readonly maxMemory?: never };

/** What a tool says of itself: seed 000 §4.1 and seed 002 §3.1 together. */
export interface ToolDeclaration<N extends Nature = Nature> {
  readonly id: string;
  readonly version: string;
  /** What a model calls it. */
  readonly name: string;
  /** What a person reads. */
  readonly title: string;
  readonly description: string;
  readonly nature: N;
  readonly takesBack: TakesBackOf<N>;
  readonly inputSchema: JsonObject;
  /** Of `ToolOutput.structured`. */
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
  /** Of a tool that others define: the digest of all that the person accepted of it and of where it comes from. */
  readonly accepted?: string;
  /** Of the domain's package: it works in no folder, waits by that package's policies, and asks as the person took it with that. */
  readonly ofDomain?: true;
}

/** What its process of one call may have at most; null: nothing bounds it but the machine. Left out: it can't be held to any. */
export interface ProcessBounds {
  readonly memoryBytes?: number | null;
  readonly cpuMillicores?: number | null;
}

/** Thrown by a handler to end its call in a known way. Anything else it throws becomes a sanitized `Internal`. */
export class ToolFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.name = 'ToolFailure';
    this.failure = failure;
  }
}

/** What planning finds out about one call without doing anything. */
export interface Preflight {
  /** The tool's own risk, or more: control files are high. */
  readonly risk: RiskLevel;
  /** Set when the call must be asked whatever the policy says, with the reason in one sentence. */
  readonly mustAsk: string | null;
  /** Files of secrets whose values it would be given, as they were asked for: the person may reveal them to this one call. */
  readonly secrets?: readonly string[];
  /** Of a command: what it names outside the folder. Left out: nothing. */
  readonly outside?: readonly string[];
  /** Of what is started here: what the person's settings let it read outside the folder. Left out: nothing. */
  readonly readable?: readonly string[];
  /** Of a command: what it is known to need of the network, which the person may allow it. Left out: nothing is. */
  readonly needs?: NeededHosts;
  /** Of a command: it names hosts that can’t be told before it runs. */
  readonly unknownHosts?: boolean;
  /** Of a command: whether it may run unasked where the person's settings say so. Left out: it may not. */
  readonly unasked?: Unasked;
}

/** What a handler may look at while planning, where it plans on files: paths and nothing else. */
export interface PlanContext {
  readonly sandbox: Sandbox;
  readonly config: Config;
}

/** What runs elsewhere has no business with the files of this machine, not to look at either. */
type ElsewherePlan = Pick<PlanContext, 'config'>;

/** Whether anything in a content looks like a secret. */
export type FindsSecrets = (content: Uint8Array) => Promise<boolean>;

interface PreflightHere extends PlanContext {
  readonly findsSecrets: FindsSecrets;
}

interface EffectHere extends PlanContext {
  readonly readLog: ReadLog;
  readonly foreseen: Foreseen;
  /** What is shown of a file that it would change: the SHA-256 of what it is changed from, null for nothing, and what it becomes. */
  readonly shows: (path: JailedPath, sha256: string | null, after: Uint8Array | null) => void;
}

/** The first look, before anybody is asked. */
export type PreflightContext<N extends Nature = Nature> = N extends 'remote' ? ElsewherePlan : PreflightHere;
/** The second, for the sheet. */
export type EffectContext<N extends Nature = Nature> = N extends 'remote' ? ElsewherePlan : EffectHere;

/** Of all that there is to look at, what a handler of this nature is handed: what is not in its type is not there either. */
export function lookedAtBy<Here extends PlanContext>(nature: Nature, all: Here): Here | ElsewherePlan {
  return nature === 'remote' ? { config: all.config } : all;
}

/** What earlier calls of the batch will have done when this one runs. By canonical path. */
export interface Foreseen {
  /** What a file will hold; null where it will be gone, undefined where none of them changes it. */
  readonly content: (path: string) => Uint8Array | null | undefined;
  readonly isRead: (path: string) => boolean;
}

export const NOTHING_FORESEEN: Foreseen = { content: () => undefined, isRead: () => false };

export interface ByRule {
  readonly runs: string;
  readonly leastConfinement: Confinement;
}

/** Made fresh for each call (FR-REG-04a). What every handler has. */
interface CallContext {
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
  /** What of the network the person allowed this one call. */
  readonly network: AllowedNetwork;
  /** The person let this one call write to `.git`. */
  readonly writesGit: boolean;
  /** The person said yes to this very call, and not a rule. */
  readonly byPerson: boolean;
  /** Where a rule lets a command run: what runs in place of the text, and how closely it has to be held. */
  readonly byRule: ByRule | null;
  readonly onCommandEvent: (event: CommandEvent) => void;
}

/** What runs elsewhere, or in a program of its source's. */
interface RemoteContext extends CallContext {
  /** The folder of the call, by its real path; null where none is open. What of it its source may see, its terms say. */
  readonly folder: string | null;
  readonly terms: ToolTerms;
  /** What its caller asked for at most, of what a process of its own can be held to. */
  readonly limits: Pick<WantedLimits, 'memoryBytes' | 'cpuMillicores' | 'timeoutMs'>;
  /** What its door gave along; null where it gave nothing. */
  readonly pocket: Pocket | null;
  readonly onProgress: (progress: ToolProgress) => void;
  readonly onCheckpoint: (checkpoint: Checkpoint) => void;
  /** Its time stands still, as long as the settings let a person be waited for, until what this gives is called. */
  readonly waitsForPerson?: () => () => void;
}

/** How far a call has come, as what runs it says. */
export interface ToolProgress {
  /** Null where only its phase is told. */
  readonly percent: number | null;
  readonly phase: string | null;
}

interface Contexts {
  readonly reads: ReadingContext;
  readonly files: FilesContext;
  readonly command: CommandContext;
  readonly remote: RemoteContext;
}

/** What a handler is handed: the ports of its nature, and no others. */
export type ToolContext<N extends Nature = Nature> = Contexts[N];

export interface Around {
  readonly before: string;
  readonly after: string;
}

export interface ToolOutput {
  /** What the caller gets (seed 002's string). */
  readonly content: string;
  /** Conforms to the declaration's output schema. Null only where that is another's, and is looked at by who asked there. */
  readonly structured: JsonObject | null;
  /** False where the tool limits itself (binary reads, listings, commands). */
  readonly allowTruncation: boolean;
  /** Where the content was cut out of a longer text: what stands before and behind it. Secrets are found in all of it. */
  readonly around?: Around;
  /** What it names below the folder that it is of: text too, and not all of it need be the folder's own. */
  readonly names?: readonly string[];
  readonly outputBytes: number;
  readonly outputBytesLeftOut: number;
  /** Places that were blotted out already while it came. */
  readonly redactions?: number;
  /** Where there were some: the content with them. It is sealed or not kept, and given to nobody but by the person's word. */
  readonly whole?: string;
  /** Control characters that were taken out already while it came. */
  readonly controlCharactersRemoved?: number;
  /** The calls whose changes this one undid, the latest first. */
  readonly undoes?: readonly string[];
  readonly storedOutputs: readonly StoredOutput[];
  /** Changes that went round the transaction (a command's); the transaction adds its own. */
  readonly changedFiles: readonly ChangedFile[];
  /** What else was left, where anything can be. */
  readonly aftermath?: Omit<Aftermath, 'warnings' | 'checkpoint'>;
  /** What its caller should know although it went well. */
  readonly warnings?: readonly string[];
  readonly confinement: Confinement | null;
  readonly resources: { readonly cpuMs: number; readonly peakMemoryBytes: number } | null;
}

/** A failed command still has output, and the person wants it. Carried beside the failure. */
export interface FailedOutput extends ToolOutput {
  /** It ran unasked, and lacked what a person could have given: why they are to be asked the next time. */
  readonly askAgain?: string;
  /** What was hidden from it, and it failed for: a person could let it read these. Left out: nothing. */
  readonly hidden?: readonly string[];
}

export class ToolFailureWithOutput extends ToolFailure {
  readonly output: FailedOutput;
  constructor(failure: Failure, output: FailedOutput) {
    super(failure);
    this.output = output;
  }
}

/** What a remembered yes is for: the tool, or words that it was asked with. */
export type StandingKey = { readonly of: 'tool' } | { readonly of: 'words'; readonly words: string };

/**
 * A tool: what it says of itself, and what it does. `Args` is the one parse of its arguments; `Understood` is what these mean where they are
 * to be used, read once and handed on.
 */
export interface Tool<Args = Json, N extends Nature = Nature, Understood = unknown> {
  readonly declaration: ToolDeclaration<N>;
  /** Of what runs in a process of its own for each call elsewhere than a command does. Left out: nothing holds it. */
  readonly bounds?: ProcessBounds;
  /** Its own time-out, from the configuration; null means the default. */
  timeoutMs(config: Config): number | null;
  /** How much of that is for what has to be started before its own time begins. Left out: nothing. */
  readonly startMs?: number;
  /** What a call of it would get. Pure. */
  termsFor(situation: TermsSituation): ToolTerms;
  standingKey(args: Args): StandingKey;
  /** After the schema said yes. Throws ToolFailure(BadArgs) for what a schema can't say. Pure. */
  parse(args: JsonObject): Args;
  /**
   * Pure: no I/O (FR-REG-01a). Raw; the planner sanitizes, redacts and shortens it. `named` is what a path is called from the
   * workspace, however it was asked.
   */
  summary(args: Args, named: (path: string) => string): string;
  /**
   * Reads what the arguments mean here. `before`: what was understood earlier, given again where all that it hung on is the same. Left
   * out: they say it all, and what is handed on is null.
   */
  understand?(args: Args, context: PreflightContext<N>, before: Understood | null): Promise<Understood>;
  /** What rules for words go by; left out where its rules are for the tool. */
  readingOf?(understood: Understood): Reading;
  /** Looks at paths; throws ToolFailure to settle the call before anybody is asked. */
  preflight(args: Args, context: PreflightContext<N>, understood: Understood): Promise<Preflight>;
  /** The thing itself, for the approval sheet. Reads, never writes. */
  effect(args: Args, context: EffectContext<N>, understood: Understood): Promise<Effect>;
  /**
   * What running it would give where it could only fail as things stand; null where it may work. Reads, never writes. Left
   * out: nothing is known before it runs.
   */
  foresee?(args: Args, context: EffectContext<N>, understood: Understood): Promise<Failure | null>;
  execute(args: Args, context: ToolContext<N>, understood: Understood): Promise<ToolOutput>;
  /**
   * The arguments that leave each of these files as it shall be: what the person makes of a file is what is asked then. Null
   * where none do; left out where it changes no files by its arguments. Pure.
   */
  argumentsFor?(args: JsonObject, files: readonly FileChange[]): JsonObject | null;
  /** Bytes of arguments that another limit already bounds (`patch`, `content`), left out of max_tool_args_bytes. */
  readonly argumentsBoundedElsewhere: readonly string[];
}
