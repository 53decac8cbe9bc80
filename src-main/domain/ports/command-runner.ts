import type { NamedFile } from '../commands/reading/reading.js';
import type { CarriedByGit } from './workspace/carried-by-git.js';
import type { ChangedFile, Confinement, NetworkUse } from '#contract/vocabulary/calls.js';
import type { AllowedNetwork } from '#contract/vocabulary/network.js';
import type { QuarantinedFile } from '#contract/vocabulary/activity/quarantine.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { CommandEvent, StoredOutput } from '../call/outputs.js';
import type { Span } from '../text/secrets/spans.js';
import type { LeaveAllowance } from '../sensitive/leave-allowance.js';
import type { UnattendedWrites } from '../policy/unattended.js';

export interface CommandRequest {
  readonly callId: string;
  readonly command: string;
  readonly workingDirectory: string;
  /** Whether tools may not touch a path, given from the working directory: a command may, but no copy of it is kept. */
  readonly isDenied: (relative: string) => boolean;
  readonly config: Config;
  /**
   * How much of this machine the command sees. `folder`: nobody said yes to this very call, or it lacked something of
   * this machine when nobody was asked; it sees its folder, the system's own folders and the tool chains. `machine`:
   * all of this machine but what people keep as their own.
   */
  readonly sees: 'folder' | 'machine';
  /** Paths that it may read besides that, by the person's yes or a rule of theirs. */
  readonly readable: readonly string[];
  /** The network that the person allowed this one call, besides what the configuration says. */
  readonly network: AllowedNetwork;
  /** The changes that it may leave in files that other programs obey. */
  readonly mayLeave: LeaveAllowance;
  /** The files that its own words name to write, to change or to delete: those changes are surely its own. */
  readonly names?: readonly NamedFile[];
  /** The least confinement: held less closely than this, it is not started. */
  readonly leastConfinement?: Confinement;
  /** Present where nobody was asked about it: it may then write only to what can be put back after it. */
  readonly unasked?: UnattendedWrites;
  /**
   * Finds secrets in its output besides those that always are: the values of files of secrets that it names. Left out:
   * nothing.
   */
  readonly alsoSecret?: (text: string) => readonly Span[];
  /** The most that the model's copy may hold. */
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
    /**
     * A signal ended it. The code is the one that a shell gives: 128 and the signal's number. A program may exit with
     * such a code of its own accord.
     */
    | { readonly kind: 'signalled'; readonly signal: string; readonly code: number }
    /** Stopped because the abort signal fired; the caller knows whether that was a time-out or a cancel. */
    | { readonly kind: 'stopped' }
    /**
     * A limit was hit: named as `ResourceExhausted` reports it. With a code where only its last words tell of the
     * limit.
     */
    | { readonly kind: 'limit'; readonly limit: string; readonly code: number | null }
    | { readonly kind: 'unstartable'; readonly reason: string }
    /** The command ran, and something of ours failed: what became of it is not known. */
    | { readonly kind: 'lost'; readonly reason: string };
  /** Sanitized, within the limit, head and tail kept. */
  readonly stdout: string;
  readonly stderr: string;
  readonly outputBytes: number;
  readonly outputBytesLeftOut: number;
  /** The number of places that were redacted before anybody saw or kept them. */
  readonly redactions: number;
  /** Both streams unredacted, within the limit, where something was redacted; else null. */
  readonly whole: WholeOutput | null;
  readonly controlCharactersRemoved: number;
  readonly storedOutputs: readonly StoredOutput[];
  readonly changedFiles: readonly ChangedFile[];
  readonly changedFilesComplete: boolean;
  /** Folders that were not there before it. */
  readonly createdFolders: readonly string[];
  /** Changes to files that other programs obey, which were put aside after it. */
  readonly putAside: readonly QuarantinedFile[];
  /** The changes to such files that Git was made to carry besides the folder. Absent where nobody looked. */
  readonly carried?: CarriedByGit;
  /** False where it could not be made sure that no such change stayed. */
  readonly lookComplete: boolean;
  /** Null where nothing ran. */
  readonly confinement: Confinement | null;
  /**
   * Paths of the workspace that it could not write to, since something outside has the same files; absent or empty
   * where there are none.
   */
  readonly readOnlyAsShared?: readonly string[];
  /**
   * Paths that it could not write to, since nobody was asked and no copy is kept of them; '' is all of the workspace.
   * Absent or empty where there are none.
   */
  readonly readOnlyAsUnkept?: readonly string[];
  /** Whether all of the workspace was read-only to it: nobody was asked, since it only reads. */
  readonly couldOnlyRead?: boolean;
  /**
   * Paths that it could be let read, where it failed and said that it didn't find what is hidden from it. Absent or
   * empty where there are none.
   */
  readonly notShown?: readonly string[];
  /**
   * Files of its folder that were hidden from it, where it failed; by path from there. Absent or empty where there are
   * none.
   */
  readonly hiddenFiles?: readonly string[];
  /** Folders of dependencies that were too large to be looked at whole: files in them may be others’ as well. */
  readonly mayBeShared?: readonly string[];
  /** The hosts that the command asked its proxy for, where it had a network; else null. */
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
  /**
   * Why commands can't be confined, and what to do; where they can be, the parts of confinement that this machine
   * lacks.
   */
  readonly problem: string | null;
}

export interface CommandRunner {
  /**
   * Gets ready for a command that may run here soon: the files there are copied meanwhile, so that the command's
   * changes can be undone, and the confinement that it is started in is made ready. `unasked`: nobody may be asked
   * about it.
   */
  prepare(
    place: Pick<CommandRequest, 'workingDirectory' | 'isDenied' | 'config'> & { readonly unasked: boolean },
  ): void;
  run(request: CommandRequest): Promise<CommandResult>;
  /** Tells what is known of confinement now; the first answer may take a moment. */
  confinement(): Promise<ConfinementState>;
}

/** The part of the runner that a call with a grant for commands gets. */
export type GrantedCommands = Pick<CommandRunner, 'run'>;

/** Tells of things in a workspace that a command must not be let near unasked, or untold. */
export interface CommandLeftovers {
  /** Whether something is there that could not be made sure to be allowed. */
  isInDoubt(workingDirectory: string): boolean;
  /** Whether commands find a program of this name. */
  finds(program: string, place: Pick<CommandRequest, 'workingDirectory' | 'config'>): boolean;
  /** Folders of dependencies in which a command may change files that are others’ as well. */
  mayBeShared(workingDirectory: string): readonly string[];
}
