import type { Config } from '#contract/vocabulary/config.js';
import type { Unattended } from '../../../domain/policy/unattended.js';
import type { Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import type { UndoEligibility } from '../../../domain/ports/workspace/transaction.js';
import { getConfinement, type TermsSituation } from '../../../domain/tool/terms.js';
import type { Preflight, Tool } from '../../../domain/tool/tool.js';
import { LARGEST_FILE } from '../../../domain/size-bounds.js';
import type { JudgingSandbox } from './judging-sandbox.js';

interface UnaskedContext {
  readonly tool: Tool<unknown>;
  readonly found: Preflight;
  /** The sandbox of the judgement, with the files that the tool asked about. */
  readonly sandbox: JudgingSandbox;
  readonly config: Config;
  readonly offered: Omit<TermsSituation, 'config'>;
  readonly keeping: UndoEligibility;
}

/**
 * Tells whether the person’s settings may let this call run without asking, and what is against it. Null for neither an
 * edit nor a command.
 */
export async function judgeUnasked(looked: UnaskedContext): Promise<Unattended | null> {
  const { tool, found, config } = looked;
  const { nature, takesBack, requiresApproval } = tool.declaration;
  if (nature === 'command') return found.unasked === undefined ? null : judgeUnaskedCommand(found.unasked, looked);
  if (nature !== 'files' || takesBack !== 'whole' || requiresApproval) return null;
  // Looked at only where it counts. Where that is not so now, it is not found out for later either.
  if (config.tools.approval.edits !== 'collect' || found.mustAsk !== null)
    return { what: 'edit', against: NOT_CHECKED };
  return { what: 'edit', against: await findFileWithoutUndo(looked) };
}

const NOT_CHECKED = 'Whether it could be undone wasn’t checked.';

/** Judges a command by the confinement that it was judged to get and by the settings, not by reading its words. */
function judgeUnaskedCommand(unasked: Unattended, { tool, config, offered }: UnaskedContext): Unattended {
  const held = getConfinement(tool.termsFor({ ...offered, config }));
  if (held === 'confined' || unasked.against !== null) return unasked;
  return { ...unasked, against: held === 'network' ? HAS_NETWORK : UNCONFINED };
}

const UNCONFINED = 'Commands run unsandboxed here.';
const HAS_NETWORK = 'Commands have network access here.';

/** The first file whose content would not be kept for undo, in words; null where all of them would. */
async function findFileWithoutUndo({ sandbox, keeping }: UnaskedContext): Promise<string | null> {
  for (const { asked, relative, standing } of sandbox.files) {
    if (standing === null || standing.file === null) continue;
    const path = await sandbox.validate(asked);
    const facts = await sandbox.facts(path);
    if (facts?.kind !== 'file' || facts.size > LARGEST_FILE) return noUndoWords(relative);
    if (!(await keeping.keeps(facts.size, () => readContent(sandbox, asked, facts.size)))) return noUndoWords(relative);
  }
  return null;
}

const noUndoWords = (relative: string): string =>
  `“${relative}” couldn’t be restored: it is too large, or may hold a secret and this system has no key store.`;

async function readContent(sandbox: Sandbox, asked: string, size: number): Promise<Uint8Array> {
  await using file = await sandbox.openFile(await sandbox.validate(asked));
  const buffer = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const bytes = await file.read(buffer.subarray(length), length);
    if (bytes === 0) break;
    length += bytes;
  }
  return buffer.subarray(0, length);
}
