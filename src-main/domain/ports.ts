import type { ChangedFile, Confinement } from '#contract/vocabulary/calls.js';
import type { PutAsideFile } from '#contract/vocabulary/put-aside.js';
import type { UndoFile, UndoPreview } from '#contract/vocabulary/undo.js';
import type { JudgedRoot, Standing } from './call/judgement.js';
import type { Config } from './config.js';
import type { CommandEvent, StoredOutput } from './outputs.js';
import type { MayLeave } from './sensitive/may-leave.js';

/**
 * What the gate needs of the world. Adapters implement these; tools, doors and adapters never import each other.
 */

export interface Clock {
  /** Unix ms, for people. */
  now(): number;
  /** Monotonic ms, for durations and time-outs. */
  monotonic(): number;
}

// ---------------------------------------------------------------- sandbox

/** A path that passed seed 002 §3.5.2. Made only by the sandbox. The I/O walks it by component and never re-resolves `absolute`. */
export interface JailedPath {
  readonly __jailed: unique symbol;
  /** Canonical and absolute. */
  readonly absolute: string;
  /** Relative to its root, forward slashes, '' for the root itself. */
  readonly relative: string;
  readonly root: string;
  /** Which folder the root was when the path was checked, or must be. */
  readonly rootIs: string;
  /** As it was asked. */
  readonly asked: string;
  /** One of the files that make other programs run something: always high risk, always asks. */
  readonly isControlFile: boolean;
}

/** By the path from the root. */
export type ObeyedHere = (relative: string) => boolean;

export interface FileFacts {
  readonly kind: 'file' | 'dir' | 'symlink' | 'other';
  readonly size: number;
  readonly mode: number;
  readonly modifiedMs: number;
  readonly links: number;
  readonly device: bigint;
  readonly inode: bigint;
}

/** An open regular file inside the jail. Always closed by who opened it (`await using`). */
export interface JailedFile extends AsyncDisposable {
  readonly facts: FileFacts;
  read(buffer: Uint8Array, position: number): Promise<number>;
}

export interface DirectoryEntry {
  /** As text; what is not UTF-8 in it is replaced. */
  readonly name: string;
  readonly nameBytes: Uint8Array;
  /** The bytes, one character each: such strings sort as the bytes do. */
  readonly raw: string;
  /** What the folder itself says of it, so that a large listing need not look at each; null where it doesn't say. */
  readonly kind: FileFacts['kind'] | null;
}

export interface JailedDirectory extends AsyncDisposable {
  /** Unsorted, in handfuls as the system gives them: a step for each name would cost more than the name. */
  entries(): AsyncIterable<readonly DirectoryEntry[]>;
  /** lstat of a child, never following links. */
  facts(name: Uint8Array): Promise<FileFacts>;
  /** Opens a child directory, refusing links. */
  open(name: Uint8Array): Promise<JailedDirectory>;
}

/** Every method throws ToolFailure (PathOutsideSandbox, DeniedPatternMatched, SandboxViolation, BadArgs, ExecutionFailed) and nothing else. */
export interface Sandbox {
  /** The first root: where relative paths begin and commands run. */
  readonly workingDirectory: string;
  readonly roots: readonly string[];
  /** `roots`: which folders they are, where that was looked at before and must still be so. */
  validate(path: string, roots?: readonly JudgedRoot[]): Promise<JailedPath>;
  openFile(path: JailedPath): Promise<JailedFile>;
  openDirectory(path: JailedPath): Promise<JailedDirectory>;
  /** Null when there is nothing there. Does not follow a final link. */
  facts(path: JailedPath): Promise<FileFacts | null>;
  /** The roots as they are now, and which folders they are. */
  rootsNow(): readonly JudgedRoot[];
  /**
   * What in this root programs obey though its own path does not say so: links lead there from where they look, or settings
   * of Git name it.
   */
  obeyedIn(root: string): Promise<ObeyedHere>;
  /** What stands at a path and above it now. */
  standing(path: JailedPath): Promise<Standing>;
  /** Whether a path met while listing is denied. Relative to `root`, or to any root when it isn't given. */
  isDenied(relativePath: string, root?: string): boolean;
}

// ---------------------------------------------------------------- workspace transaction (seed 000 §4.3)

export interface StagedWrite {
  readonly path: JailedPath;
  readonly content: Uint8Array;
  /** The file must still be exactly this (SHA-256 hex) when it is replaced; null: it must not exist. */
  readonly expected: string | null;
  /** The bytes that `expected` is of, where they are at hand: they are then not read once more before the last look. */
  readonly current?: Uint8Array;
  readonly judged?: JudgedPlace;
}

/** Where a change was judged to go, and what stood there: looked at again in the open folders before it is made. */
export interface JudgedPlace {
  /** The innermost folder above it that was there, from the root ('' is the root), and which folder that was. */
  readonly folder: string;
  readonly folderIs: string;
  /** Whether a folder that was not there may be: it was made by what ran before. */
  readonly madeSince: (folder: string, is: string) => boolean;
  /** What stood at the name, as `Standing` has it; undefined where what is expected there says enough. */
  readonly stood: string | null | undefined;
}

/** What stands at a path and can be put back: a file whole, or where a link points. */
export type PathImage =
  | {
      readonly kind: 'file';
      readonly content: Uint8Array;
      readonly mode: number;
      /** Null: that of what stands there, or of the app. */
      readonly owner: { readonly uid: number; readonly gid: number } | null;
    }
  | { readonly kind: 'link'; readonly target: string };

/** Undo's way of changing a path: links too, and modes. The name is not followed, so it needs no jailed path of its own. */
export interface StagedRestore {
  readonly folder: JailedPath;
  readonly name: string;
  /** As it was asked when it was changed. */
  readonly asked: string;
  /** What must be there now; null: nothing. */
  readonly expected:
    { readonly kind: 'file'; readonly sha256: string } | { readonly kind: 'link'; readonly target: string } | null;
  /** What is there afterwards; null: nothing. */
  readonly wanted: PathImage | null;
  /** How many of the folders above it, innermost first, go too if they are left empty. */
  readonly pruneFolders: number;
  /** With which mode a folder above it is made, by its path from the root, should it be missing. */
  readonly folderModes: ReadonlyMap<string, number>;
  readonly judged?: JudgedPlace;
}

export const folderKey = (root: string, relative: string): string => `${root}\0${relative}`;

export interface WorkspaceTransaction {
  stageWrite(write: StagedWrite): Promise<void>;
  stageDelete(path: JailedPath, expected: string, judged?: JudgedPlace): Promise<void>;
  stageRestore(restore: StagedRestore): Promise<void>;
  readonly state: 'open' | 'committed' | 'rolled-back';
  /** The folders that the commit made, by `folderKey`, and which they are. */
  readonly made: ReadonlyMap<string, string>;
  /** All or nothing. On any failure everything is restored and ToolFailure is thrown. */
  commit(): Promise<readonly ChangedFile[]>;
  /** Restores every byte, mode and name; safe to call in any state, any number of times. */
  rollback(): Promise<void>;
  /** After the journal holds the result: forgets what was kept for crash recovery. Undo images stay. */
  settle(): Promise<void>;
}

export interface WorkspaceTransactions {
  begin(callId: string): WorkspaceTransaction;
  /**
   * At start, before anything else: transactions that a crash left. `wasSettled` says whether the journal holds the
   * call's result; then the changes stay, otherwise they are rolled back. Gives the calls that were rolled back.
   */
  recover(
    wasSettled: (callId: string) => boolean,
  ): Promise<readonly { readonly callId: string; readonly files: readonly string[] }[]>;
}

/** What settled calls changed, and how to take it back. */
export interface UndoStore {
  /** Null when nothing is kept of this call. Reads only. */
  preview(callId: string, sandbox: Sandbox): Promise<UndoPreview | null>;
  /**
   * The same for the files that `stage` would take back if it were asked the same: who judges them judges those, however
   * they are spelt. Throws ToolFailure for a path that the call did not change.
   */
  look(request: Omit<UndoRequest, 'transaction'>): Promise<readonly UndoLook[] | null>;
  /**
   * Stages on `transaction` all that takes the call's changes back (of `paths` only, unless null). Throws ToolFailure
   * naming the files when one of them can't be taken back; the transaction is then to be dropped.
   */
  stage(request: UndoRequest): Promise<readonly UndoneFile[]>;
  /** Which of the call's files can still be taken back, as far as what is kept tells. Null: nothing is kept. */
  changedFiles(callId: string): Promise<readonly ChangedFile[] | null>;
  /** Retention: forgets what was changed before this moment (Unix ms), and what is over the quota. */
  prune(olderThan: number): Promise<void>;
}

export interface UndoLook {
  readonly file: UndoFile;
  /** As the sandbox is asked for it. */
  readonly asked: string;
  /** What must stand there to be taken back: a file with this SHA-256; null: nothing, or a link. */
  readonly sha256: string | null;
}

export interface UndoRequest {
  readonly callId: string;
  readonly paths: readonly string[] | null;
  readonly sandbox: Sandbox;
  readonly transaction: WorkspaceTransaction;
}

export interface UndoneFile {
  readonly path: string;
  readonly action: 'restored' | 'deleted' | 'recreated';
  /** Of what stands there now; null where nothing or a link does. */
  readonly sha256: string | null;
}

// ---------------------------------------------------------------- what was read (FR-TOOL-PATCH-02c)

export interface ReadRecord {
  readonly path: string;
  readonly sha256: string;
  readonly readAt: number;
}

/** One per conversation, MCP session or Compose session. */
export interface ReadLog {
  record(canonicalPath: string, sha256: string): void;
  lookup(canonicalPath: string): ReadRecord | null;
}

// ---------------------------------------------------------------- commands

export interface CommandRequest {
  readonly callId: string;
  readonly command: string;
  readonly workingDirectory: string;
  /** What tools may not touch: a command may, but no copy of it is kept. By path from the working directory. */
  readonly isDenied: (relative: string) => boolean;
  readonly config: Config;
  /** The person allowed the network for this one call, whatever the configuration says. */
  readonly network: boolean;
  /** What it may leave of the files that other programs obey. */
  readonly mayLeave: MayLeave;
  /** Held less closely than this, it is not started. */
  readonly leastConfinement?: Confinement;
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
  readonly controlCharactersRemoved: number;
  readonly storedOutputs: readonly StoredOutput[];
  readonly changedFiles: readonly ChangedFile[];
  readonly changedFilesComplete: boolean;
  /** Of the files that other programs obey: what was taken away after it. */
  readonly putAside: readonly PutAsideFile[];
  /** False where it could not be made sure that nothing of these files stayed. */
  readonly lookComplete: boolean;
  /** Null where nothing ran. */
  readonly confinement: Confinement | null;
  /** What of the workspace it could not write to, since what is outside has the same files; absent or empty where nothing. */
  readonly readOnlyAsShared?: readonly string[];
  /** Folders of dependencies that were too large to be looked at whole: files in them may be others’ as well. */
  readonly mayBeShared?: readonly string[];
  /** Where it had a network: what the command asked its proxy for. Else null. */
  readonly networkUse: NetworkUse | null;
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
}

/** `host:port` each, in the order they were first asked for. */
export interface NetworkUse {
  readonly reached: readonly string[];
  readonly refused: readonly string[];
}

export interface ConfinementState {
  readonly available: boolean;
  /** Why not, and what to do; where they can be, what of it this machine lacks. */
  readonly problem: string | null;
}

export interface CommandRunner {
  /**
   * A command may run here soon: what is there is copied meanwhile, so that what the command changes can be undone, and
   * what it is started in is made ready.
   */
  prepare(place: Pick<CommandRequest, 'workingDirectory' | 'isDenied' | 'config'>): void;
  run(request: CommandRequest): Promise<CommandResult>;
  /** What is known of it now; the first answer may take a moment. */
  confinement(): Promise<ConfinementState>;
}

/** What becomes of files that other programs obey, besides each command's own end. */
export interface CommandLeftovers {
  /** After a crash: what the command of this call left is put aside now. */
  putAsideAfterCrash(callId: string, workspace: string): Promise<readonly PutAsideFile[]>;
  /** Whether something is in this workspace of which it could not be made sure that it may be there. */
  isInDoubt(workingDirectory: string): boolean;
  /** Folders of dependencies in which a command may change files that are others’ as well. */
  mayBeShared(workingDirectory: string): readonly string[];
  /** Paths from the root that links and settings lead programs to; null where it was too much to be looked at. */
  ledTo(root: string): Promise<ReadonlySet<string> | null>;
}

/** Where raw output goes while a command runs; finished, it is kept under its hash. */
export interface OutputStore {
  open(callId: string, stream: 'stdout' | 'stderr', maxBytes: number): OutputSink;
}

export interface OutputSink {
  /** Resolves when the bytes are with the system; false once the quota is reached (those bytes are counted, not kept). */
  write(bytes: Uint8Array): Promise<boolean>;
  finish(): Promise<StoredOutput>;
  /** Instead of `finish`: nothing of it is kept. */
  abandon(): Promise<void>;
}
