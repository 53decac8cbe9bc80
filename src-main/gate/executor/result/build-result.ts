import type { Config } from '#contract/vocabulary/config.js';
import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { AuthorizedCall } from '../../../domain/call/call-stages.js';
import { unrestoredFailure } from '../../../domain/call/failures.js';
import type { SettledResult } from '../../../domain/call/journal-events.js';
import { findReachableTool } from '../../../domain/policy/judged-tool.js';
import type { ToolLookup } from '../../../domain/ports/gate/tool-lookup.js';
import type { UnrestoredChange } from '../../../domain/ports/workspace/transaction.js';
import { cutEnd, cutMiddle } from '../../../domain/text/cut-to-context.js';
import { truncateEnd } from '../../../domain/text/truncate.js';
import { getConfinement } from '../../../domain/tool/terms.js';
import type { ToolDeclaration } from '../../../domain/tool/tool.js';
import { listUnenforcedLimits } from '../../../domain/tool/requested-limits.js';
import type { AttemptOutcome } from '../attempt.js';
import { failureResult, successResult, addWarnings } from '../ending.js';
import type { Recorder } from '../recorder.js';
import type { CutText } from './record-redactor.js';

interface ResultParts extends Pick<Recorder, 'withoutSecrets'> {
  readonly tools: ToolLookup;
}

interface ResultLimits {
  readonly outputLimit: number;
  /** FR-REG-04b: its share of what the model has room for. */
  readonly room: number;
  /** The configuration in force now. */
  readonly config: Config;
}

/** Made plain, then without its secrets, and only then cut to its limit. */
export async function buildResult(
  call: AuthorizedCall,
  ending: AttemptOutcome,
  failure: Failure | null,
  { outputLimit: limit, room, config }: ResultLimits,
  { tools, withoutSecrets }: ResultParts,
): Promise<SettledResult> {
  // What its program asked for and nothing holds it to.
  const notHeld = call.wanted === undefined ? [] : listUnenforcedLimits(call.tool, config, call.wanted.limits);
  const warnings = [...(findReachableTool(tools, call)?.warnings ?? []), ...notHeld];
  if (ending.ok) {
    const output = { ...ending.output, allowTruncation: false };
    const whole = addWarnings(successResult(output, ending.changedFiles, limit), warnings);
    const { allowTruncation, around } = ending.output;
    return withoutSecrets.result(whole, buildCut(call, whole, { room, limit: allowTruncation ? limit : null }), around);
  }
  // Its words too, as they were: what is taken out of them can be revealed. One that would be cut has nothing to lose by that.
  const words = Buffer.byteLength(ending.failure.message) < limit ? ending.failure : (failure ?? ending.failure);
  const failed = failureResult(words, call.toolName, ending.output, limit);
  // What a source said of its failure holds no word of how its program was held.
  const { gets } = call.judgement.terms;
  const confinement = failed.confinement ?? (gets.nature === 'remote' ? getConfinement(gets) : null);
  const changedFiles = [...failed.changedFiles, ...ending.changedFiles];
  const whole = addWarnings({ ...failed, confinement, changedFiles }, warnings);
  return withoutSecrets.result(whole, buildCut(call, whole, { room, limit: null }));
}

/**
 * Builds the cut of a result: to its limit in bytes, where the tool does not keep that itself, and to its share of the
 * room that the model has.
 */
function buildCut(
  { tool }: AuthorizedCall,
  { outputBytesLeftOut }: SettledResult,
  { room, limit }: { readonly room: number; readonly limit: number | null },
): CutText {
  const isCommand = tool.declaration.nature === 'command';
  return (text) => {
    const short = limit === null ? { text, leftOut: 0 } : truncateEnd(text, limit);
    const cut = isCommand ? cutMiddle(short.text, room, outputBytesLeftOut + short.leftOut) : cutEnd(short.text, room);
    return { text: cut.text, leftOut: short.leftOut + cut.leftOut };
  };
}

/** The result with its secrets, which its caller gets by the person's approval; the redacted one is recorded. */
export function withSecrets(result: SettledResult): SettledResult {
  const { withheld } = result;
  return withheld === undefined ? result : { ...result, ...withheld };
}

/** The failure of a call whose end the journal can't hold. */
export const notRecorded = (problem: string, { nature }: ToolDeclaration, left: UnrestoredChange | null): Failure =>
  left === null
    ? { code: 'JournalUnavailable', message: `${NATURE_WORDS[nature].unrecorded} ${problem}` }
    : unrestoredFailure({ code: 'JournalUnavailable', message: `Gatehouse can’t write its journal: ${problem}` }, left);
