import type { Confinement } from '#contract/vocabulary/calls.js';
import type { CommandResult } from '../domain/ports/command-runner.js';
import type { WorkspaceChanges } from '../domain/ports/workspace/workspace-watch.js';
import { emptyResult } from './run-supervised.js';

/** The result of a command that did not run, or of which nobody knows whether it did. */
export const notRunResult = (ending: CommandResult['ending']): CommandResult => ({
  ...emptyResult(ending),
  ...NOTHING_FOUND,
  changedFilesComplete: ending.kind !== 'lost',
  lookComplete: ending.kind !== 'lost',
  networkUse: null,
});

export const NOTHING_FOUND: WorkspaceChanges = {
  changedFiles: [],
  changedFilesComplete: true,
  createdFolders: [],
  putAside: [],
  carried: { index: [], commits: [], made: [], complete: true },
  lookComplete: true,
};

export const explainLessConfined = (now: Confinement, least: Confinement): string =>
  `The rule that lets it run holds where commands are held as “${least}”, and it would run as “${now}”. Request it again, and the user is asked.`;

export const NOT_UNASKED =
  'Nobody was asked about it, since it was to run confined and without a network, and now it would not. Request it again, and the user is asked.';

/**
 * The refusal of a run whose judgement is out of date: here with more protection than anybody was shown. What was
 * judged is what is used, or it is judged again.
 */
export const CONFINED_AGAIN =
  'It was to run unconfined, and by now commands can be confined. Nothing ran; ask again, and it runs confined.';
