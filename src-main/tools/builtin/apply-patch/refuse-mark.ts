import { Buffer } from 'node:buffer';
import type { PatchOperation, Patch } from '../../../domain/lp1/patch.js';
import type { PlanContext } from '../../../domain/tool/tool.js';
import { REDACTED } from '../../../domain/text/redact.js';
import { patchFailed } from './plan.js';

/** Size up to which a file is searched for the mark standing in it as such. */
const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;

/**
 * The mark that stands for a secret is none: a patch that has it where the file has a value would find nothing, or would
 * put it in the place of the value. What stands in the file for itself may stay, and be moved or reworded.
 */
export async function refuseMark(patch: Patch, { sandbox }: Pick<PlanContext, 'sandbox'>): Promise<void> {
  for (const { path, operations } of patch.sections) {
    const marked = operations.filter((operation) => marksIn(linesOf(operation)) > 0);
    if (marked.length === 0) continue;
    const jailed = await sandbox.validate(path);
    const facts = await sandbox.facts(jailed);
    if (facts?.kind === 'file') {
      await using file = await sandbox.openFile(jailed);
      const bytes = Buffer.alloc(Math.min(facts.size, MAX_SEARCHED_BYTES));
      const text = bytes.toString('utf8', 0, await file.read(bytes, 0));
      const lines = new Set(text.split(/\r?\n/u).filter((line) => line.includes(REDACTED)));
      if (marked.every((operation) => standsForItself(operation, lines))) continue;
    }
    throw patchFailed(
      path,
      `The patch of “${path}” holds “${REDACTED}”, which stands for a value that was not shown; the file has the value. ` +
        'Leave such lines as they are: patch beside them, or ask the user to change them.',
    );
  }
}

/**
 * Whether the mark stands for itself in an operation: what is found has it in the file too, and no more marks come of
 * it; what is added is a line of the file.
 */
function standsForItself(operation: PatchOperation, lines: ReadonlySet<string>): boolean {
  const find = 'find' in operation ? operation.find : [];
  const added = listAddedLines(operation);
  if (!find.every((line) => marksIn([line]) === 0 || lines.has(line))) return false;
  if (operation.kind === 'R' && marksIn(added) <= marksIn(find)) return true;
  return added.every((line) => marksIn([line]) === 0 || lines.has(line));
}

const linesOf = (operation: PatchOperation): readonly string[] =>
  'find' in operation ? [...operation.find, ...operation.replacement] : listAddedLines(operation);

/** Lists the lines that an operation adds to the file. */
export const listAddedLines = (operation: PatchOperation): readonly string[] =>
  'replacement' in operation ? operation.replacement : 'added' in operation ? operation.added : [];

const marksIn = (lines: readonly string[]): number =>
  lines.reduce((count, line) => count + line.split(REDACTED).length - 1, 0);
