import type { ConnectedClient } from '#contract/window/app-events.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { CommandRunner } from '../../../domain/ports/command-runner.js';

interface CopiesAheadDeps {
  readonly situation: (folder: string) => PlanningSituation;
  /** Whether those who ask there are offered anything that runs commands. */
  readonly offersCommands: (folder: string) => boolean;
  readonly prepare: CommandRunner['prepare'];
}

/**
 * While a person reads a sheet, what a command may change is copied. Where commands run unasked nobody reads: it is copied
 * when the first agent comes to a folder, or its first command would wait for that.
 */
export function copiesAhead({
  situation,
  offersCommands,
  prepare,
}: CopiesAheadDeps): (clients: readonly ConnectedClient[]) => void {
  let copied = new Set<string>();
  return (clients) => {
    const folders = new Set(clients.map(({ folder }) => folder).filter((folder) => folder !== ''));
    // Who comes back later may find it all changed.
    copied = new Set([...copied].filter((folder) => folders.has(folder)));
    for (const folder of folders) {
      const { config, sandbox, isOpen } = situation(folder);
      if (copied.has(folder) || !isOpen) continue;
      if (config.tools.approval.commands !== 'sandbox' || !offersCommands(folder)) continue;
      copied.add(folder);
      const { workingDirectory } = sandbox;
      const isDenied = (relative: string): boolean => sandbox.isDenied(relative, workingDirectory);
      prepare({ workingDirectory, isDenied, config, unasked: true });
    }
  };
}
