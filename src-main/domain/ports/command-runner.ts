import type { NamedFile } from '../reading/reading.js';
import type { CarriedByGit } from './workspace/carried-by-git.js';
import type { ChangedFile, Confinement, NetworkUse } from '#contract/vocabulary/calls.js';
import type { AllowedNetwork } from '#contract/vocabulary/network.js';
import type { PutAsideFile } from '#contract/vocabulary/put-aside.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { CommandEvent, StoredOutput } from '../call/outputs.js';
import type { Span } from '../text/secrets/spans.js';
import type { MayLeave } from '../sensitive/may-leave.js';
import type { UnaskedWrites } from '../policy/unasked.js';

export interface CommandRequest {
  readonly callId: string;
  readonly command: string;
  readonly workingDirectory: string;
  /** What tools may not touch: a command may, but no copy of it is kept. By path from the working directory. */
  readonly isDenied: (relative: string) => boolean;
  readonly config: Config;
  /**
   * Where nobody said yes to this very call, or it lacked something of this machine when nobody was asked: its folder, the system's
   * own folders and the tool chains. Else all of this machine but what people keep as their own.
   */
  readonly sees: 'folder' | 'machine';
  /** What it may read besides that, by the person's yes or a rule of theirs. */
  readonly readable: readonly string[];
  /** What of the network the person allowed this one call, besides what the configuration says. */
  readonly network: AllowedNetwork;
  /** What it may leave of the files that other programs obey. */
  readonly mayLeave: MayLeave;
  /** What its own words name to write, to change or to delete: those changes are surely its own. */
  readonly names?: readonly NamedFile[];
  /** Held less closely than this, it is not started. */
  readonly leastConfinement?: Confinement;
  /** Nobody was asked about it: so it may write only to what can be put back after it. */
  readonly unasked?: UnaskedWrites;
  /** What of its output is secret besides what always is: the values of files of secrets that it names. Left out: nothing. */
  readonly alsoSecret?: (text: string) => readonly Span[];
  /** What the model's copy may hold. */
  readonly outputLimit: number;
  /** How much less it may hold when the command fails, so that the failure's own words fit beside it. */
  readonly reservedOnFailure?: number;
  readonly signal: AbortSignal;
  readonly onOutput: (stream: 'stdout' | 'stderr', text: string) => Promise<void>;
  readonly onEvent: (event: CommandEvent) => void;
}

/** How a command ended. It always resolves: a command that could not be started is `unstartable`. */
export interface CommandResult {
  readonly ending:
    | { readonly kind: 'exited'; readonly code: number }
    /** As a shell tells it: 128 and the signal's number. A program may exit with such a code of its own accord. */
    | { readonly kind: 'signalled'; readonly signal: string; readonly code: number }
    /** Stopped because the abort signal fired; the caller knows whether that was a time-out or a cancel. */
    | { readonly kind: 'stopped' }
    /** A limit struck: named, as `ResourceExhausted` reports it. With a code where only its last words tell of the limit. */
    | { readonly kind: 'limit'; readonly limit: string; readonly code: number | null }
    | { readonly kind: 'unstartable'; readonly reason: string }
    /** It ran, and something of ours failed: what became of it is not known. */
    | { readonly kind: 'lost'; readonly reason: string };
  /** Sanitized, within the limit, head and tail kept. */
  readonly stdout: string;
  readonly stderr: string;
  readonly outputBytes: number;
  readonly outputBytesLeftOut: number;
  /** How many places were blotted out before anybody saw or kept them. */
  readonly redactions: number;
  /** Where there were some: both streams with them, within the limit. */
  readonly whole: WholeOutput | null;
  readonly controlCharactersRemoved: number;
  readonly storedOutputs: readonly StoredOutput[];
  readonly changedFiles: readonly ChangedFile[];
  readonly changedFilesComplete: boolean;
  /** Of the files that other programs obey: what was taken away after it. */
  readonly putAside: readonly PutAsideFile[];
  /** Of these files: what Git was made to carry besides the folder. Absent where nobody looked. */
  readonly carried?: CarriedByGit;
  /** False where it could not be made sure that nothing of these files stayed. */
  readonly lookComplete: boolean;
  /** Null where nothing ran. */
  readonly confinement: Confinement | null;
  /** What of the workspace it could not write to, since what is outside has the same files; absent or empty where nothing. */
  readonly readOnlyAsShared?: readonly string[];
  /** Since nobody was asked and no copy is kept of it; '' is all of the workspace. Absent or empty where nothing. */
  readonly readOnlyAsUnkept?: readonly string[];
  /** Nobody was asked, since it only reads: all of the workspace was read-only to it. */
  readonly couldOnlyRead?: boolean;
  /** Where it failed, and said that it didn't find what is hidden from it: what it could be let read. Absent or empty where nothing. */
  readonly notShown?: readonly string[];
  /** Where it failed: files of its folder that were hidden from it, by path from there. Absent or empty where none. */
  readonly hiddenFiles?: readonly string[];
  /** Folders of dependencies that were too large to be looked at whole: files in them may be others’ as well. */
  readonly mayBeShared?: readonly string[];
  /** Where it had a network: what the command asked its proxy for. Else null. */
  readonly networkUse: NetworkUse | null;
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
}

export interface WholeOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly leftOut: number;
}

export interface ConfinementState {
  readonly available: boolean;
  /** Why not, and what to do; where they can be, what of it this machine lacks. */
  readonly problem: string | null;
}

export interface CommandRunner {
  /**
   * A command may run here soon: what is there is copied meanwhile, so that what the command changes can be undone, and
   * what it is started in is made ready. `unasked`: nobody may be asked about it.
   */
  prepare(
    place: Pick<CommandRequest, 'workingDirectory' | 'isDenied' | 'config'> & { readonly unasked: boolean },
  ): void;
  run(request: CommandRequest): Promise<CommandResult>;
  /** What is known of it now; the first answer may take a moment. */
  confinement(): Promise<ConfinementState>;
}

/** What a call that was granted a command has of it. */
export type GrantedCommands = Pick<CommandRunner, 'run'>;

/** What may be in a workspace that a command must not be let near unasked, or untold. */
export interface CommandLeftovers {
  /** Whether something is there of which it could not be made sure that it may be. */
  isInDoubt(workingDirectory: string): boolean;
  /** Whether commands find a program of this name. */
  finds(program: string, place: Pick<CommandRequest, 'workingDirectory' | 'config'>): boolean;
  /** Folders of dependencies in which a command may change files that are others’ as well. */
  mayBeShared(workingDirectory: string): readonly string[];
}
