import type { FindingKind, NeverRemembered } from '../programs/finding-kinds.js';
import type { LeaveAllowance } from '../../sensitive/leave-allowance.js';
import type { CommandAnalysis } from '../../policy/remembered/standing-confirmation.js';

/**
 * The facts known of a command before it runs. A reading is made once for a judgement, and is the same for the same
 * text in the same folder. Whoever asks, remembers or draws goes by this value, and nobody looks at the text once more.
 */
export interface Reading extends CommandAnalysis {
  /** Why not all of it was read for certain, in words; null where it was, with what it carries. */
  readonly notWhole: string | null;
  /** Everything that a person should look at, in the order of the text. */
  readonly found: readonly Finding[];
  /** Names of programs in it, with those that others start; what is not certain is not among them. */
  readonly programs: readonly string[];
  /** Whether it only reads, by programs of which that is known with these options. */
  readonly onlyReads: boolean;
  /** Files that it names to write, to change or to delete. */
  readonly files: readonly NamedFile[];
  /** Hosts that it names or is known to need; `anyHost` where it needs some that can’t be told. */
  readonly hosts: readonly string[];
  readonly anyHost: boolean;
  readonly secrets: readonly string[];
  readonly controlFiles: readonly string[];
  readonly outside: readonly string[];
  readonly git: GitWork;
  /** The changes that it may leave in files that other programs obey. */
  readonly leaves: LeaveAllowance;
  readonly neverRemembered: readonly NeverRemembered[];
  /** Something of it goes on beside the rest, until the command ends. */
  readonly background: boolean;
  /** Set in front of a program, or for all that follows. */
  readonly variables: readonly SetVariable[];
  /** Where `cd` leads, from the folder it is run in; '' is that folder, null where it can’t be told. */
  readonly leadsTo: string | null;
}

/** A thing found in a command. */
export interface Finding {
  readonly kind: FindingKind;
  /** Offsets in the text, as a person sees it. */
  readonly start: number;
  readonly end: number;
  /** Explanation for a person: “force-pushes: overwrites history on the remote”. */
  readonly words: string;
}

export interface NamedFile {
  /** The path from the folder that the command is run in, as `cd` has it by then; with a `*`, a pattern. */
  readonly path: string;
  readonly does: 'writes' | 'changes' | 'deletes';
}

/** The work on a repository: nothing, looking at it, what can be undone, or what loses commits or changes. */
export type GitWork = 'none' | 'reads' | 'undoable' | 'rewrites';

export interface SetVariable {
  readonly name: string;
  readonly harmless: boolean;
}
