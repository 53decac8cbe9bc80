import type { InstructionFile } from '#contract/vocabulary/conversation/instructions.js';
import type { Sandbox } from '../workspace/sandbox.js';

/** Where the files are, and the jail that they are read through. */
export interface InstructedFolder {
  readonly workspace: string;
  readonly sandbox: Sandbox;
}

export interface Instructions {
  /** How each of these files stands now. */
  look(folder: InstructedFolder, paths: readonly string[]): Promise<readonly InstructionFile[]>;
  /** Null when it is accepted, and kept; otherwise why not. */
  accept(folder: InstructedFolder, path: string, digest: string): Promise<string | null>;
}
