import type { Nature } from '#contract/vocabulary/nature.js';
import type { QuarantinedFile } from '#contract/vocabulary/activity/quarantine.js';
import type { CarriedByGit } from '../../domain/ports/workspace/carried-by-git.js';

export type ProcessFate = 'gone' | 'ended' | 'alive';

/** A call that was under way when the app stopped. */
export interface InterruptedCall {
  readonly callId: string;
  readonly workspace: string;
  /** The process that it had started; null where nothing of it is known. */
  readonly process: { readonly pid: number; readonly startTicks: string; readonly mark: string } | null;
  readonly nature: Nature;
}

/** The facts found about an interrupted call while its leftovers were cleaned up. */
export interface CrashFindings {
  readonly process?: ProcessFate;
  readonly putAside?: readonly QuarantinedFile[];
  /** Set where the call could write to its folder. */
  readonly couldWrite?: true;
  /** The leftover files that Git was made to carry. */
  readonly carried?: CarriedByGit;
  /** The model had not ended the message that asks for it. */
  readonly brokeOff?: boolean;
}

/** The context that each wing gets to clean up what a crash left of its own. */
export interface CrashContext {
  readonly interrupted: readonly InterruptedCall[];
  /** Whether a call's changes were acknowledged, and so stay. */
  readonly wasAcknowledged: (callId: string) => boolean;
  readonly found: (callId: string, what: CrashFindings) => void;
}

/**
 * The kinds of leftovers of a crash, in the order in which they are cleaned up: first what would let somebody in, then
 * half-done file changes, then processes that still run and where they ran, then what they left, and last what a model
 * had not finished writing. Where a vital one fails, the app does not start; any other failure is reported, and the
 * rest goes on.
 */
const ENTRIES = [
  { name: 'gatewayAddress', words: 'The address and token of the gateway', isVital: true },
  { name: 'socket', words: 'The socket that agents connect to', isVital: false },
  { name: 'fileChanges', words: 'Half-done changes of files', isVital: true },
  { name: 'processes', words: 'Processes that still ran', isVital: false },
  { name: 'controlGroups', words: 'Control groups of commands', isVital: false },
  { name: 'pipes', words: 'Folders of pipes', isVital: false },
  { name: 'copies', words: 'Copies of the workspace’s files', isVital: false },
  { name: 'leavings', words: 'What commands left for other programs to obey', isVital: true },
  { name: 'answers', words: 'Answers that a model was writing', isVital: false },
] as const;

export type LeftoverKind = (typeof ENTRIES)[number]['name'];

/** The cleanup of each wing; one missing does not compile. Each can be repeated, since a crash can strike here too. */
export type CrashCleanups = { readonly [Name in LeftoverKind]: (crash: CrashContext) => void | Promise<void> };

/** Runs the cleanups one after the other. Throws where a vital one failed, and runs none after it. */
export async function cleanUpCrash(
  clearings: CrashCleanups,
  crash: CrashContext,
  onTrouble: (what: string, error: unknown) => void,
): Promise<void> {
  for (const { name, words, isVital } of ENTRIES) {
    try {
      await clearings[name](crash);
    } catch (error) {
      if (isVital) throw error;
      onTrouble(words, error);
    }
  }
}
