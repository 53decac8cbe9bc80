import type { CallForApproval } from '../../../domain/ports/gate/approval-desk.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { CommandRunner } from '../../../domain/ports/command-runner.js';

/** While the person reads, there is time to copy what a command may change, and to make ready what it starts in. */
export function prepareCommands(
  commands: CommandRunner,
  { sandbox, config }: PlanningSituation,
  asked: readonly CallForApproval[],
): void {
  if (!asked.some(({ call }) => call.tool.declaration.nature === 'command')) return;
  const { workingDirectory } = sandbox;
  const isDenied = (relative: string): boolean => sandbox.isDenied(relative, workingDirectory);
  commands.prepare({ workingDirectory, isDenied, config, unasked: false });
}
