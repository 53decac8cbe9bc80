import type { JudgedRoot, PathState } from '../../call/judgement.js';

/** A path that passed seed 002 §3.5.2. Made only by the sandbox. The I/O walks it by component and never re-resolves `absolute`. */
export interface JailedPath {
  readonly __jailed: unique symbol;
  /** Canonical and absolute. */
  readonly absolute: string;
  /** Relative to its root, forward slashes, '' for the root itself. */
  readonly relative: string;
  readonly root: string;
  /** The identity of the folder that the root was when the path was checked, or must be. */
  readonly rootIs: string;
  /** The path as it was asked for. */
  readonly asked: string;
  /** Whether it is one of the files that make other programs run something: always high risk, always asks. */
  readonly isControlFile: boolean;
}

/** Whether programs obey the file at this path from the root. */
export type IsObeyedPath = (relative: string) => boolean;

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
  /** The name as text; bytes in it that are not UTF-8 are replaced. */
  readonly name: string;
  readonly nameBytes: Uint8Array;
  /** The bytes, one character each: such strings sort as the bytes do. */
  readonly raw: string;
  /** The kind that the folder itself says, so that a large listing need not look at each; null where it doesn't say. */
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
  /** Checks a path. `roots`: the folders that the roots must still be, where that was judged before. */
  validate(path: string, roots?: readonly JudgedRoot[]): Promise<JailedPath>;
  openFile(path: JailedPath): Promise<JailedFile>;
  openDirectory(path: JailedPath): Promise<JailedDirectory>;
  /** The folder that a path lies in, which was walked through when the path was checked. */
  openFolderOf(path: JailedPath): Promise<JailedDirectory>;
  /** Null when there is nothing there. Does not follow a final link. */
  facts(path: JailedPath): Promise<FileFacts | null>;
  /** The roots as they are now, and which folders they are. */
  inspectRoots(): readonly JudgedRoot[];
  /**
   * Finds the paths in this root that programs obey though no list knows their name: links lead there from where
   * programs look, settings of Git name them, or they are dot names that are new.
   */
  findObeyedPaths(root: string): Promise<IsObeyedPath>;
  /** Looks at a path and the folders above it as they are now. */
  inspectPath(path: JailedPath): Promise<PathState>;
  /** Whether a path met while listing is denied. Relative to `root`, or to any root when it isn't given. */
  isDenied(relativePath: string, root?: string): boolean;
}
