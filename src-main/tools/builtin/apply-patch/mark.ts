import { Buffer } from 'node:buffer';
import type { Operation, Patch } from '../../../domain/lp1/patch.js';
import type { PlanContext } from '../../../domain/tool/tool.js';
import { REDACTED } from '../../../domain/text/redact.js';
import { patchFailed } from './plan.js';

/** As far as a file is looked at for whether the mark stands in it as such. */
const LOOKED_AT = 4 * 1024 * 1024;

/**
 * The mark that stands for a secret is none: a patch that has it where the file has a value would find nothing, or would
 * put it in the place of the value.
 */
export async function refuseMark(patch: Patch, { sandbox }: Pick<PlanContext, 'sandbox'>): Promise<void> {
  for (const { path, operations } of patch.sections) {
    if (!operations.some(holdsMark)) continue;
    const jailed = await sandbox.validate(path);
    const facts = await sandbox.facts(jailed);
    if (facts?.kind === 'file') {
      await using file = await sandbox.openFile(jailed);
      const bytes = Buffer.alloc(Math.min(facts.size, LOOKED_AT));
      await file.read(bytes, 0);
      if (bytes.includes(REDACTED)) continue;
    }
    throw patchFailed(
      path,
      `The patch of “${path}” holds “${REDACTED}”, which stands for a value that was not shown; the file has the value. ` +
        'Leave such lines as they are: patch beside them, or ask the person to change them.',
    );
  }
}

function holdsMark(operation: Operation): boolean {
  const lines =
    'find' in operation ? [...operation.find, ...operation.replacement] : 'added' in operation ? operation.added : [];
  return lines.some((line) => line.includes(REDACTED));
}
