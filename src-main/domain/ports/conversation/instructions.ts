import type { InstructionFile } from '#contract/vocabulary/conversation/instructions.js';
import type { Sandbox } from '../workspace/sandbox.js';

/** Where the files are, and the jail that they are read through. */
export interface InstructionFolder {
  readonly workspace: string;
  readonly sandbox: Sandbox;
}

export interface Instructions {
  /** The state of each of these files now. */
  inspect(folder: InstructionFolder, paths: readonly string[]): Promise<readonly InstructionFile[]>;
  /** Accepts a file. Null when it is accepted, and kept; otherwise why not. */
  accept(folder: InstructionFolder, path: string, digest: string): Promise<string | null>;
}
