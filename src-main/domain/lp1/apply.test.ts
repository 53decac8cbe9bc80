import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyOperations } from './apply.js';
import { contentLines, operationArbitrary } from './patch.test-support.js';
import type { ApplyResult, PatchOperation, PatchedFile, PatchProblem } from './patch.js';
import { parsePatch } from './parse.js';
import { formatFile, parseFile } from './text-file.js';

function drive(steps: Generator<void, ApplyResult>): ApplyResult {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function fileOf(text: string | null): PatchedFile | null {
  if (text === null) return null;
  const result = parseFile(text);
  if (!result.ok) throw new Error(result.problem);
  return result.file;
}

/** The file's new text; null where there is still none. */
function run(text: string | null, operations: readonly PatchOperation[]): string | null | PatchProblem {
  const result = drive(applyOperations(fileOf(text), operations));
  if (!result.ok) return result.error;
  return result.file === null ? null : formatFile(result.file);
}

/** The operations as LP1 text; the sections of the patch are applied one after another. */
function patched(text: string | null, ...lines: readonly string[]): string | null | PatchProblem {
  const result = parsePatch(['LP1', 'F f', ...lines, 'END'].join('\n'));
  if (!result.ok) return result.error;
  let file = fileOf(text);
  for (const section of result.patch.sections) {
    const applied = drive(applyOperations(file, section.operations));
    if (!applied.ok) return applied.error;
    file = applied.file;
  }
  return file === null ? null : formatFile(file);
}

const failure = (line: number, text: string) => ({ line, problem: expect.stringContaining(text) });

describe('LP1 operations', () => {
  it('R replaces, I inserts after, P inserts before, E deletes the matched lines', () => {
    expect(patched('a\nb\nc\n', 'R', 'b', '.', 'x', 'y', '.')).toBe('a\nx\ny\nc\n');
    expect(patched('a\nb\nc\n', 'I', 'a', 'b', '.', 'x', '.')).toBe('a\nb\nx\nc\n');
    expect(patched('a\nb\nc\n', 'P', 'b', 'c', '.', 'x', '.')).toBe('a\nx\nb\nc\n');
    expect(patched('a\nb\nc\n', 'E', 'b', '.')).toBe('a\nc\n');
    expect(patched('a\nb\nc\n', 'R', 'b', '.', '.')).toBe('a\nc\n');
  });

  it('T appends and B prepends; both keep the final newline as it was', () => {
    expect(patched('a\n', 'T', 'x', '.')).toBe('a\nx\n');
    expect(patched('a', 'T', 'x', '.')).toBe('a\nx');
    expect(patched('a\n', 'B', 'x', '.')).toBe('x\na\n');
    expect(patched('a', 'B', 'x', '.')).toBe('x\na');
    expect(patched('a', 'T', '.')).toBe('a');
  });

  it('matches whole lines, exactly', () => {
    expect(patched('ab\n', 'E', 'a', '.')).toEqual(failure(3, 'nowhere'));
    expect(patched('a \n', 'E', 'a', '.')).toEqual(failure(3, '0 times'));
    expect(patched('A\n', 'E', 'a', '.')).toEqual(failure(3, 'nowhere'));
    expect(patched('\u00e9\n', 'E', 'e\u0301', '.')).toEqual(failure(3, 'nowhere'));
    expect(patched('\ufeffa\n', 'E', 'a', '.')).toEqual(failure(3, 'nowhere'));
  });

  it('without an occurrence the match must be the only one; the error says how many and where', () => {
    expect(patched('a\nb\na\n', 'R', 'a', '.', 'x', '.')).toEqual(failure(3, 'matches 2 times (at lines 1, 3)'));
    expect(patched('a\nb\na\n', 'R 2', 'a', '.', 'x', '.')).toBe('a\nb\nx\n');
    expect(patched('a\nb\na\n', 'R 3', 'a', '.', 'x', '.')).toEqual(
      failure(3, 'matches 2 times, not 3 (at lines 1, 3)'),
    );
    expect(patched('a\nb\n', 'R 2', 'a', '.', 'x', '.')).toEqual(failure(3, 'matches once, not 2 (at line 1)'));
    expect(patched('a\n', 'R 99999999999999999999', 'a', '.', 'x', '.')).toEqual(failure(3, 'once'));
  });

  it('names only the first places of very many', () => {
    expect(patched('a\n'.repeat(50), 'E', 'a', '.')).toEqual(
      failure(3, '50 times (at lines 1, 2, 3, 4, 5, 6, 7, 8, …)'),
    );
  });

  it('counts overlapping matches, each start', () => {
    expect(patched('a\na\na\n', 'E', 'a', 'a', '.')).toEqual(failure(3, '2 times (at lines 1, 2)'));
    expect(patched('a\na\na\n', 'R 2', 'a', 'a', '.', 'x', '.')).toBe('a\nx\n');
    expect(patched('a\nb\na\nb\na\n', 'E', 'a', 'b', 'a', '.')).toEqual(failure(3, '2 times (at lines 1, 3)'));
  });

  it('applies operations in order, each to the result of the one before, and sections likewise', () => {
    expect(patched('a\n', 'R', 'a', '.', 'b', '.', 'R', 'b', '.', 'c', '.')).toBe('c\n');
    expect(patched('a\n', 'R', 'a', '.', 'b', '.', 'F f', 'R', 'b', '.', 'c', '.')).toBe('c\n');
    expect(patched('a\n', 'E', 'a', '.', 'E', 'a', '.')).toEqual(failure(6, 'nowhere'));
  });

  it('N + and N - set whether the file ends with a newline', () => {
    expect(patched('a', 'N +')).toBe('a\n');
    expect(patched('a\n', 'N -')).toBe('a');
    expect(patched('a\n', 'N +')).toBe('a\n');
    expect(patched('a\r\nb', 'N +')).toBe('a\r\nb\r\n');
  });

  it('N + on an empty file makes one empty line; N - on exactly that makes it empty again', () => {
    expect(patched('', 'N +')).toBe('\n');
    expect(patched('\n', 'N -')).toBe('');
    expect(patched('', 'N +', 'N -', 'T', 'x', '.')).toBe('x');
    expect(patched('\n\n', 'N -')).toBe('\n');
    expect(patched('', 'N -')).toBe('');
  });

  it('drops the final newline at once when no lines are left, and keeps the kind of newline', () => {
    expect(patched('a\n', 'E', 'a', '.')).toBe('');
    expect(patched('a\n', 'E', 'a', '.', 'T', 'x', '.')).toBe('x');
    expect(patched('a\r\nb\r\n', 'E', 'a', 'b', '.', 'T', 'x', 'y', '.')).toBe('x\r\ny');
  });

  it('keeps the kind of newline and the final newline through every edit', () => {
    expect(patched('a\r\nb\r\n', 'R', 'a', '.', 'x', 'y', '.')).toBe('x\r\ny\r\nb\r\n');
    expect(patched('a\r\nb', 'R', 'b', '.', 'x', '.')).toBe('a\r\nx');
    expect(patched('a', 'T', 'b', '.')).toBe('a\nb');
  });

  it('creates a missing file only by T or B as the first operation of its section', () => {
    expect(patched(null, 'T', 'a', 'b', '.')).toBe('a\nb\n');
    expect(patched(null, 'B', 'a', '.')).toBe('a\n');
    expect(patched(null, 'T', 'a', '.', 'R', 'a', '.', 'b', '.')).toBe('b\n');
    for (const first of [['R', 'a', '.', 'b', '.'], ['I', 'a', '.', 'b', '.'], ['P', 'a', '.', 'b', '.'], ['E', 'a', '.'], ['N +'], ['N -']]) {
      expect(patched(null, ...first, 'T', 'a', '.')).toEqual(failure(3, 'no such file'));
    } // prettier-ignore
    expect(patched(null, 'F f', 'T', 'a', '.', 'F f', 'R', 'a', '.', 'b', '.')).toBe('b\n');
    expect(patched(null)).toBeNull();
  });

  it('ends a created file with a newline unless N - says otherwise; with an empty block it is empty', () => {
    expect(patched(null, 'T', 'a', '.', 'N -')).toBe('a');
    expect(patched(null, 'T', '.')).toBe('');
    expect(patched(null, 'B', '.')).toBe('');
    expect(patched(null, 'T', '.', 'T', 'a', '.')).toBe('a\n');
    expect(patched(null, 'T', 'a', '.', 'N -', 'T', 'b', '.')).toBe('a\nb');
    expect(patched(null, 'T', 'a', '.', 'N -', 'N +')).toBe('a\n');
    expect(patched(null, 'T', '.', 'N -', 'T', 'a', '.')).toBe('a');
    expect(patched(null, 'T', '', '.')).toBe('\n');
    expect(patched(null, 'T', 'a', '.', 'E', 'a', '.', 'T', 'b', '.')).toBe('b\n');
    expect(patched('a', 'R', 'a', '.', '', '.', 'T', 'b', '.')).toBe('\nb');
  });

  it('takes an existing empty file for lines and a flag like any other', () => {
    expect(patched('', 'T', 'a', '.')).toBe('a');
    expect(patched('', 'T', 'a', '.', 'N +')).toBe('a\n');
  });

  it('pauses within long searches, so that whoever drives it can stop', () => {
    const file = fileOf('x\n'.repeat(450_000));
    const steps = applyOperations(file, [{ kind: 'E', line: 1, occurrence: null, find: ['y'], replacement: [] }]);
    expect(steps.next().done).toBe(false);
    expect(steps.next().done).toBe(false);
    expect(steps.next().done).toBe(true);
  });
});

describe('LP1 files', () => {
  it('are lines, a final-newline flag and a kind of newline', () => {
    expect(fileOf('')).toMatchObject({ lines: [], finalNewline: false, newline: '\n' });
    expect(fileOf('\n')).toMatchObject({ lines: [''], finalNewline: true });
    expect(fileOf('a')).toMatchObject({ lines: ['a'], finalNewline: false, newline: '\n' });
    expect(fileOf('a\n\n')).toMatchObject({ lines: ['a', ''], finalNewline: true });
    expect(fileOf('a\r\nb')).toMatchObject({ lines: ['a', 'b'], finalNewline: false, newline: '\r\n' });
  });

  it.each(['a\rb', 'a\r', '\r\r\n', 'a\n\r'])('refuse a bare carriage return: %j', (text) => {
    expect(parseFile(text)).toMatchObject({ ok: false, problem: expect.stringContaining('carriage return') });
  });

  it.each(['a\nb\r\n', 'a\r\nb\n', '\n\r\n', 'a\r\nb\r\n\nc'])('refuse mixed newlines: %j', (text) => {
    expect(parseFile(text)).toMatchObject({ ok: false, problem: expect.stringContaining('mixes') });
  });
});

const texts = fc
  .tuple(fc.array(contentLines, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, newline, final]) => lines.join(newline) + (final ? newline : ''));

describe('LP1 laws (fuzz)', () => {
  it('a file that is read and written is the same bytes', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(run(text, [])).toBe(text);
      }),
    );
  });

  it('agrees with an applier that is too simple to be wrong', () => {
    fc.assert(
      fc.property(texts, fc.array(operationArbitrary, { maxLength: 6 }), (text, operations) => {
        const result = run(text, operations);
        expect(typeof result === 'string' ? result : null).toBe(simplest(text, operations));
      }),
      { numRuns: 3000 },
    );
  });

  it('never changes what it was given', () => {
    fc.assert(
      fc.property(texts, fc.array(operationArbitrary, { maxLength: 4 }), (text, operations) => {
        const file = fileOf(text);
        const before = structuredClone(file);
        drive(applyOperations(file, operations));
        expect(file).toEqual(before);
      }),
    );
  });

  it('is the same whether the operations stand in one section or in several', () => {
    fc.assert(
      fc.property(texts, fc.array(operationArbitrary, { maxLength: 6 }), (text, operations) => {
        let file = fileOf(text);
        let failed = false;
        for (const operation of operations) {
          if (failed) continue;
          const result = drive(applyOperations(file, [operation]));
          failed = !result.ok;
          if (result.ok) file = result.file;
        }
        const whole = run(text, operations);
        expect(failed || file === null ? null : formatFile(file)).toBe(typeof whole === 'string' ? whole : null);
      }),
    );
  });
});

/** The rules once more, by brute force. Null is an error. */
function simplest(text: string, operations: readonly PatchOperation[]): string | null {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  let flag = text.endsWith('\n');
  let lines = text === '' ? [] : text.split(newline);
  if (flag) lines = lines.slice(0, -1);
  for (const operation of operations) {
    if (operation.kind === 'N') {
      flag = operation.finalNewline;
      if (flag && lines.length === 0) lines = [''];
      else if (!flag && lines.join('|') === '') lines = lines.length > 1 ? lines : [];
    } else if (operation.kind === 'T') lines = [...lines, ...operation.added];
    else if (operation.kind === 'B') lines = [...operation.added, ...lines];
    else if ('find' in operation) {
      const { find, replacement, occurrence, kind } = operation;
      const key = JSON.stringify(find);
      const starts = [...lines.keys()].filter((at) => JSON.stringify(lines.slice(at, at + find.length)) === key);
      const start = starts[(occurrence ?? 1) - 1];
      if (start === undefined || (occurrence === null && starts.length !== 1)) return null;
      const at = kind === 'I' ? start + find.length : start;
      lines = lines.toSpliced(at, kind === 'R' || kind === 'E' ? find.length : 0, ...replacement);
    }
    if (lines.length === 0) flag = false;
  }
  return lines.join(newline) + (flag ? newline : '');
}
