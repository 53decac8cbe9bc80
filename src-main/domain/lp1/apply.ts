import { findMatches } from './match.js';
import type { ApplyResult, MatchKind, PatchOperation, PatchedFile, PatchProblem } from './patch.js';

type PatchMatchOperation = Extract<PatchOperation, { readonly kind: MatchKind }>;

/** The number of places that a message about too many matches names. */
const PLACES_NAMED = 8;

/**
 * Applies the operations of one section, in order, each to the result of the one before. `file` is null where there is
 * none. The generator pauses between operations and within long searches; who drives it may stop there, and nothing
 * has happened. Pure: the given file is never changed.
 */
export function* applyOperations(
  file: PatchedFile | null,
  operations: readonly PatchOperation[],
): Generator<void, ApplyResult> {
  let current = file;
  for (const operation of operations) {
    if (current === null) {
      if (operation.kind !== 'T' && operation.kind !== 'B') return failWith(operation, MISSING_FILE);
      current = EMPTY_CREATED;
    }
    const next: PatchedFile | PatchProblem = yield* applyOne(current, operation);
    if ('problem' in next) return { ok: false, error: next };
    current = settleNewline(next);
    yield;
  }
  return { ok: true, file: current };
}

const MISSING_FILE = 'there is no such file; only T or B, as the first operation, creates one';

const EMPTY_CREATED: PatchedFile = {
  lines: [],
  finalNewline: false,
  newline: '\n',
  created: true,
  refusedFinalNewline: false,
};

function failWith(operation: PatchOperation, text: string): ApplyResult {
  return { ok: false, error: { line: operation.line, problem: text } };
}

function* applyOne(file: PatchedFile, operation: PatchOperation): Generator<void, PatchedFile | PatchProblem> {
  if ('find' in operation) {
    const start = yield* locateMatch(file.lines, operation);
    return typeof start === 'number' ? { ...file, lines: applyEdit(file.lines, start, operation) } : start;
  }
  if (operation.kind === 'N') return setFinalNewline(file, operation.finalNewline);
  const { kind, added } = operation;
  return { ...file, lines: kind === 'T' ? file.lines.concat(added) : added.concat(file.lines) };
}

/** `N +` on an empty file makes one empty line; `N -` on exactly that makes it empty again. */
function setFinalNewline(file: PatchedFile, wanted: boolean): PatchedFile {
  const { lines } = file;
  const oneEmptyLine = lines.length === 1 && lines[0] === '';
  const changed = wanted && lines.length === 0 ? [''] : !wanted && oneEmptyLine ? [] : lines;
  return { ...file, lines: changed, finalNewline: wanted, refusedFinalNewline: !wanted };
}

/** Sets the newline flag once an operation is done: no lines, no newline; and a created file has one unless refused. */
function settleNewline(file: PatchedFile): PatchedFile {
  const created = file.created && !file.refusedFinalNewline;
  const finalNewline = file.lines.length > 0 && (created || file.finalNewline);
  return finalNewline === file.finalNewline ? file : { ...file, finalNewline };
}

function* locateMatch(
  lines: readonly string[],
  operation: PatchMatchOperation,
): Generator<void, number | PatchProblem> {
  const { occurrence, find, line } = operation;
  const starts = yield* findMatches(lines, find, occurrence ?? Number.POSITIVE_INFINITY);
  const start = starts[(occurrence ?? 1) - 1];
  if (start === undefined) {
    const asked = occurrence === null ? '' : `, not ${occurrence}`;
    return {
      line,
      problem: `the find block of ${operation.kind} matches ${describeCount(starts)}${asked}${describePlaces(starts)}`,
    };
  }
  if (occurrence === null && starts.length > 1) {
    const advice = `say which with a number, as in “${operation.kind} 1”, or give more lines`;
    return {
      line,
      problem: `the find block of ${operation.kind} matches ${describeCount(starts)}${describePlaces(starts)}; ${advice}`,
    };
  }
  return start;
}

function describeCount(starts: readonly number[]): string {
  if (starts.length === 0) return 'nowhere (0 times)';
  return starts.length === 1 ? 'once' : `${starts.length} times`;
}

function describePlaces(starts: readonly number[]): string {
  if (starts.length === 0) return '';
  const named = starts.slice(0, PLACES_NAMED).map((start) => String(start + 1));
  const rest = starts.length > PLACES_NAMED ? ', …' : '';
  return ` (at ${starts.length === 1 ? 'line' : 'lines'} ${named.join(', ')}${rest})`;
}

function applyEdit(lines: readonly string[], start: number, operation: PatchMatchOperation): readonly string[] {
  const end = start + operation.find.length;
  const from = operation.kind === 'I' ? end : start;
  const to = operation.kind === 'P' ? start : end;
  return splice(lines, from, to, operation.replacement);
}

/** A copy with `[from, to)` replaced. Not by spread, which would put a long block on the stack. */
function splice(lines: readonly string[], from: number, to: number, added: readonly string[]): readonly string[] {
  return lines.slice(0, from).concat(added, lines.slice(to));
}
