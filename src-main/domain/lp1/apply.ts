import { findMatches } from './match.js';
import type { ApplyResult, MatchKind, Operation, PatchedFile, PatchProblem } from './patch.js';

type MatchOperation = Extract<Operation, { readonly kind: MatchKind }>;

/** How many places a message about too many matches names. */
const PLACES_NAMED = 8;

/**
 * Applies the operations of one section, in order, each to the result of the one before. `file` is null where there is
 * none. The generator pauses between operations and within long searches; who drives it may stop there, and nothing
 * has happened. Pure: the given file is never changed.
 */
export function* applyOperations(
  file: PatchedFile | null,
  operations: readonly Operation[],
): Generator<void, ApplyResult> {
  let current = file;
  for (const operation of operations) {
    if (current === null) {
      if (operation.kind !== 'T' && operation.kind !== 'B') return problem(operation, MISSING);
      current = EMPTY_CREATED;
    }
    const next: PatchedFile | PatchProblem = yield* applyOne(current, operation);
    if ('problem' in next) return { ok: false, error: next };
    current = settleNewline(next);
    yield;
  }
  return { ok: true, file: current };
}

const MISSING = 'there is no such file; only T or B, as the first operation, creates one';

const EMPTY_CREATED: PatchedFile = {
  lines: [],
  finalNewline: false,
  newline: '\n',
  created: true,
  refusedFinalNewline: false,
};

function problem(operation: Operation, text: string): ApplyResult {
  return { ok: false, error: { line: operation.line, problem: text } };
}

function* applyOne(file: PatchedFile, operation: Operation): Generator<void, PatchedFile | PatchProblem> {
  switch (operation.kind) {
    case 'T':
      return { ...file, lines: [...file.lines, ...operation.added] };
    case 'B':
      return { ...file, lines: [...operation.added, ...file.lines] };
    case 'N':
      return setFinalNewline(file, operation.finalNewline);
    default: {
      const start = yield* locate(file.lines, operation);
      return typeof start === 'number' ? { ...file, lines: edit(file.lines, start, operation) } : start;
    }
  }
}

/** `N +` on an empty file makes one empty line; `N -` on exactly that takes it away (see `settleNewline`). */
function setFinalNewline(file: PatchedFile, wanted: boolean): PatchedFile {
  const lines = wanted && file.lines.length === 0 ? [''] : file.lines;
  return { ...file, lines, finalNewline: wanted, refusedFinalNewline: !wanted };
}

/**
 * What the flag must be once an operation is done. One empty line without a newline is no bytes at all, so it is no
 * line: the next operation sees what it would see had the file been written and read again between them.
 */
function settleNewline(file: PatchedFile): PatchedFile {
  const created = file.created && !file.refusedFinalNewline && file.lines.length > 0;
  const finalNewline = created || file.finalNewline;
  const empty = file.lines.length === 0 || (file.lines.length === 1 && file.lines[0] === '' && !finalNewline);
  return empty ? { ...file, lines: [], finalNewline: false } : { ...file, finalNewline };
}

function* locate(lines: readonly string[], operation: MatchOperation): Generator<void, number | PatchProblem> {
  const { occurrence, find, line } = operation;
  const starts = yield* findMatches(lines, find, occurrence ?? Number.POSITIVE_INFINITY);
  const start = starts[(occurrence ?? 1) - 1];
  if (start === undefined) {
    const asked = occurrence === null ? '' : `, not ${occurrence}`;
    return { line, problem: `the find block of ${operation.kind} matches ${times(starts)}${asked}${where(starts)}` };
  }
  if (occurrence === null && starts.length > 1) {
    const advice = `say which with a number, as in “${operation.kind} 1”, or give more lines`;
    return { line, problem: `the find block of ${operation.kind} matches ${times(starts)}${where(starts)}; ${advice}` };
  }
  return start;
}

function times(starts: readonly number[]): string {
  if (starts.length === 0) return 'nowhere (0 times)';
  return starts.length === 1 ? 'once' : `${starts.length} times`;
}

function where(starts: readonly number[]): string {
  if (starts.length === 0) return '';
  const named = starts.slice(0, PLACES_NAMED).map((start) => String(start + 1));
  const rest = starts.length > PLACES_NAMED ? ', …' : '';
  return ` (at ${starts.length === 1 ? 'line' : 'lines'} ${named.join(', ')}${rest})`;
}

function edit(lines: readonly string[], start: number, operation: MatchOperation): readonly string[] {
  const end = start + operation.find.length;
  switch (operation.kind) {
    case 'R':
    case 'E':
      return splice(lines, start, end, operation.replacement);
    case 'I':
      return splice(lines, end, end, operation.replacement);
    case 'P':
      return splice(lines, start, start, operation.replacement);
  }
}

/** A copy with `[from, to)` replaced. Not by spread, which would put a long block on the stack. */
function splice(lines: readonly string[], from: number, to: number, added: readonly string[]): readonly string[] {
  return lines.slice(0, from).concat(added, lines.slice(to));
}
