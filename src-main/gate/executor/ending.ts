import { type Aftermath, type ChangedFile, type Checkpoint, NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { SettledState } from '#contract/vocabulary/lifecycle.js';
import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import { CODE_MEANINGS, type Failure } from '#contract/vocabulary/outcomes.js';
import { formatFailure } from '../../domain/call/failures.js';
import type { SettledResult, UnredactedResult } from '../../domain/call/journal-events.js';
import { sanitize } from '../../domain/text/sanitize.js';
import { truncateEnd } from '../../domain/text/truncate.js';
import type { FailedOutput, ToolDeclaration, ToolOutput } from '../../domain/tool/tool.js';

/**
 * Builds the result of a call that succeeded, as its caller gets it and the journal keeps it: sanitized, then cut to
 * its limit (FR-OUT-02, FR-OUT-04).
 */
export function successResult(output: ToolOutput, changedFiles: readonly ChangedFile[], limit: number): SettledResult {
  const clean = sanitize(output.content);
  const cut = output.allowTruncation ? truncateEnd(clean.text, limit) : { text: clean.text, leftOut: 0 };
  return {
    content: cut.text,
    structured: output.structured === null ? null : withRemoved(output.structured, output, clean.removed),
    outputBytes: output.outputBytes,
    outputBytesLeftOut: output.outputBytesLeftOut + cut.leftOut,
    redactions: output.redactions ?? 0,
    ...withheldOf(output, output.structured, (text) => text),
    storedOutputs: output.storedOutputs,
    changedFiles,
    aftermath: aftermathOf(output),
    confinement: output.confinement,
    cpuMs: output.resources?.cpuMs ?? null,
    peakMemoryBytes: output.resources?.peakMemoryBytes ?? null,
    undoes: output.undoes ?? [],
  };
}

/** Builds the result of a call that failed. `output`: what a command had printed by then; it is limited already. */
export function failureResult(
  failure: Failure,
  toolName: string,
  output: FailedOutput | null,
  limit: number,
): SettledResult {
  const said = formatFailure(failure, toolName);
  const base = emptyResult(said.verbatim ? said.text : truncateEnd(sanitize(said.text).text, limit).text);
  if (output === null) return base;
  const clean = sanitize(output.content);
  const content = clean.text === '' || said.verbatim ? base.content : `${base.content}\n\n${clean.text}`;
  const cut = said.verbatim ? { text: content, leftOut: 0 } : truncateEnd(content, limit);
  return {
    ...base,
    content: cut.text,
    structured: output.structured === null ? null : withRemoved(output.structured, output, clean.removed),
    outputBytes: output.outputBytes,
    outputBytesLeftOut: output.outputBytesLeftOut + cut.leftOut,
    redactions: output.redactions ?? 0,
    ...withheldOf(output, output.structured, (text) =>
      said.verbatim || text === '' ? base.content : truncateEnd(`${base.content}\n\n${text}`, limit).text,
    ),
    storedOutputs: output.storedOutputs,
    changedFiles: output.changedFiles,
    aftermath: aftermathOf(output),
    confinement: output.confinement,
    cpuMs: output.resources?.cpuMs ?? null,
    peakMemoryBytes: output.resources?.peakMemoryBytes ?? null,
  };
}

/** Where there is nothing to say, the very value that says so: nothing is recorded of it. */
/** The last point that it said it had passed goes with it, however it ended. */
export const withCheckpoint = (result: SettledResult, checkpoint: Checkpoint | null): SettledResult =>
  checkpoint === null ? result : { ...result, aftermath: { ...result.aftermath, checkpoint } };

const aftermathOf = ({ aftermath, warnings = [] }: ToolOutput): Aftermath =>
  aftermath === undefined && warnings.length === 0 ? NO_AFTERMATH : { ...NO_AFTERMATH, ...aftermath, warnings };

/** Adds warnings about the tool itself, before those of its run. */
export function addWarnings(result: SettledResult, warnings: readonly string[]): SettledResult {
  if (warnings.length === 0) return result;
  const { aftermath } = result;
  return { ...result, aftermath: { ...aftermath, warnings: [...warnings, ...aftermath.warnings] } };
}

/** Keeps the output as it was before redaction, whole, along with the redacted one. */
function withheldOf(
  { whole, outputBytesLeftOut }: FailedOutput,
  structured: JsonObject | null,
  within: (text: string) => string,
): { readonly withheld?: UnredactedResult } {
  if (whole === undefined) return {};
  return { withheld: { content: within(sanitize(whole).text), structured, outputBytesLeftOut } };
}

export const emptyResult = (content: string): SettledResult => ({
  content,
  structured: null,
  outputBytes: 0,
  outputBytesLeftOut: 0,
  redactions: 0,
  storedOutputs: [],
  changedFiles: [],
  aftermath: NO_AFTERMATH,
  confinement: null,
  cpuMs: null,
  peakMemoryBytes: null,
  undoes: [],
});

/** A patch can't match what was taken out, so the caller is told how much that was. */
function withRemoved(
  structured: JsonObject,
  { controlCharactersRemoved: already = 0 }: Pick<ToolOutput, 'controlCharactersRemoved'>,
  removed: number,
): JsonObject {
  const all = removed + already;
  return all === 0 ? structured : { ...structured, controlCharactersRemoved: all };
}

/** The contract's table: of what only reads or changes files nothing stays where it fails; all else can't be undone. */
export function settledState(failure: Failure, ran: ToolDeclaration | null): SettledState {
  const meaning = CODE_MEANINGS[failure.code];
  return ran !== null && NATURE_WORDS[ran.nature].rolledBack !== null ? meaning.undone : meaning.state;
}
