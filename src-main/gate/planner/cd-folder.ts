import { posix } from 'node:path';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { Reading } from '../../domain/commands/reading/reading.js';
import { findLeadingCd } from '../../domain/policy/remembered/transparent-words.js';
import { ToolFailure } from '../../domain/tool/tool.js';

type FolderScope = Pick<PlanningSituation, 'sandbox' | 'workspace'>;

/**
 * The folder that a `cd` before all other commands changes into. Null where there is no such `cd`, where it leads
 * outside, through a link, to nothing or to something denied, and where the command is asked about every time: names
 * are judged by the folder that is written.
 */
export async function resolveCdFolder(reading: Reading, place: FolderScope): Promise<string | null> {
  const folder = findLeadingCd(reading.read ?? []);
  if (folder === null || reading.controlFiles.length + reading.secrets.length + reading.outside.length > 0) return null;
  const led = await resolveInWorkspace(folder, place);
  return led === null ? null : posix.join(place.workspace, led);
}

/**
 * Resolves a folder relative to the workspace ('' for the workspace itself); null where it is not a real folder inside
 * it.
 */
export async function resolveInWorkspace(folder: string, { sandbox, workspace }: FolderScope): Promise<string | null> {
  const named = posix.relative(workspace, posix.resolve(workspace, folder));
  try {
    const path = await sandbox.validate(named === '' ? '.' : named);
    if (path.root !== workspace || path.relative !== named) return null;
    const facts = await sandbox.facts(path);
    return facts?.kind === 'dir' ? named : null;
  } catch (error) {
    if (error instanceof ToolFailure) return null;
    throw error;
  }
}
