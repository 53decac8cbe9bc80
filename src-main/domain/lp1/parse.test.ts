import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPatch, patches } from './patch.test-support.js';
import { parsePatch } from './parse.js';

const lp1 = (...lines: readonly string[]) => ['LP1', ...lines, 'END', ''].join('\n');

function parsed(text: string) {
  const result = parsePatch(text);
  if (!result.ok) throw new Error(`line ${result.error.line}: ${result.error.problem}`);
  return result.patch.sections;
}

function errorOf(text: string) {
  const result = parsePatch(text);
  if (result.ok) throw new Error('it was accepted');
  return result.error;
}

describe('LP1 parser', () => {
  it('reads sections and operations with their lines', () => {
    const sections = parsed(lp1('F a.ts', 'R', 'old', '.', 'new', '.', 'N -', 'F b.ts', 'T', 'x', '.'));
    expect(sections).toEqual([
      {
        path: 'a.ts',
        line: 2,
        operations: [
          { kind: 'R', line: 3, occurrence: null, find: ['old'], replacement: ['new'] },
          { kind: 'N', line: 8, finalNewline: false },
        ],
      },
      { path: 'b.ts', line: 9, operations: [{ kind: 'T', line: 10, added: ['x'] }] },
    ]);
  });

  it('reads every operation, with and without an occurrence', () => {
    const operations = parsed(
      lp1('F a', 'R 2', 'a', '.', '.', 'I', 'b', '.', 'c', '.', 'P\t03  ', 'd', '.', 'e', '.', 'E 1', 'f', '.').replace(
        'END',
        ['T', '.', 'B', 'g', '.', 'N +', 'END'].join('\n'),
      ),
    )[0]?.operations;
    expect(operations?.map((operation) => [operation.kind, 'occurrence' in operation ? operation.occurrence : null])).toEqual([
      ['R', 2], ['I', null], ['P', 3], ['E', 1], ['T', null], ['B', null], ['N', null],
    ]); // prettier-ignore
  });

  it('allows blanks and comments outside blocks, and blanks around header, footer, F and operations', () => {
    const text = [
      '',
      '# first',
      ' \tLP1 ',
      '',
      '  # in between',
      '  F  a  ',
      '\tT',
      'x',
      '. \t',
      '',
      ' END ',
      '',
      ' \t',
    ];
    expect(parsed(text.join('\n'))).toEqual([
      { path: 'a', line: 6, operations: [{ kind: 'T', line: 7, added: ['x'] }] },
    ]);
  });

  it('takes comments, blanks, headers and footers inside a block for content', () => {
    const content = ['# no comment', '', 'LP1', 'END', 'F a', '  x  '];
    expect(parsed(lp1('F a', 'T', ...content, '.'))[0]?.operations[0]).toMatchObject({ added: content });
  });

  it('unstuffs exactly one dot, after looking for the terminator', () => {
    expect(parsed(lp1('F a', 'T', '..', '...', '..x', ' .', '.. ', '.'))[0]?.operations[0]).toMatchObject({
      added: ['.', '..', '.x', ' .', '. '],
    });
    expect(errorOf(lp1('F a', 'T', '.x', '.'))).toMatchObject({ line: 4 });
  });

  it('reads quoted paths', () => {
    expect(parsed(lp1('F "my file.ts"', String.raw`F "a\"b\\c" `, 'F it"s', 'F "é ü"')).map((section) => section.path)).toEqual([
      'my file.ts', 'a"b\\c', 'it"s', 'é ü',
    ]); // prettier-ignore
  });

  it.each([
    ['F', 'F without a path'],
    ['F   ', 'F without a path'],
    ['F ""', 'F without a path'],
    ['F a b', 'text after the path'],
    ['F "a" b', 'text after the path'],
    ['F "a', 'not closed'],
    ['F "a\\', 'unknown escape'],
    [String.raw`F "a\n"`, 'unknown escape'],
    ['Fa', 'not an operation'],
    ['f a', 'not an operation'],
    ['junk', 'not an operation'],
    ['LP1', 'not an operation'],
    ['T', 'before any F line'],
    ['R 1', 'before any F line'],
  ])('refuses %j where a section is expected', (line, problem) => {
    expect(errorOf(lp1(line))).toMatchObject({ line: 2, problem: expect.stringContaining(problem) });
  });

  it.each([
    'R2', 'R +1', 'R -1', 'R 0', 'R 00', 'R x', 'R 1 2', 'R 1.5', 'R 1e3', 'R ٣', 'N', 'N+', 'N 1', 'N + -', 'T 1', 'B x',
    'X', 'r', 'RR', '.', '..',
  ])('refuses the operation %j, pointing at its line', (operation) => {
    expect(errorOf(lp1('F a', operation, 'x', '.', 'y', '.'))).toMatchObject({ line: 3 });
  }); // prettier-ignore

  it('refuses an empty find block', () => {
    expect(errorOf(lp1('F a', 'R', '.', 'x', '.'))).toEqual({ line: 3, problem: 'the find block of R is empty' });
    expect(errorOf(lp1('F a', 'E', '.'))).toMatchObject({ line: 3 });
  });

  it.each([
    ['', 1],
    ['\n\n', 2],
    ['# only a comment', 1],
    ['LP1', 1],
    ['LP1\nF a\n', 2],
    ['LP1\nF a\nT\nx\n.\n\n', 6],
    ['LP1\nF a\nT\nx\nEND\n', 5],
    ['LP1\nF a\nR\nx\n.\nEND', 6],
  ])('points at the end of %j, where something is missing', (text, line) => {
    expect(errorOf(text)).toMatchObject({ line });
  });

  it('points at what stands where the header should', () => {
    expect(errorOf('\nF a\nEND\n')).toMatchObject({ line: 2, problem: expect.stringContaining('header is missing') });
    expect(errorOf('lp1\nEND')).toMatchObject({ line: 1 });
    expect(errorOf('LP1 x\nEND')).toMatchObject({ line: 1 });
  });

  it('refuses anything but blank lines after END', () => {
    expect(errorOf('LP1\nEND\n\n# comment\n')).toMatchObject({ line: 4 });
    expect(errorOf('LP1\nEND\nLP1\nEND\n')).toMatchObject({ line: 3 });
  });

  it('takes a patch without sections, and a section without operations', () => {
    expect(parsed('LP1\nEND')).toEqual([]);
    expect(parsed('LP1\nF a\nEND')).toEqual([{ path: 'a', line: 2, operations: [] }]);
  });

  it('takes CRLF, and refuses a bare carriage return and half a surrogate pair', () => {
    expect(parsed(lp1('F a', 'T', 'x', '.').replaceAll('\n', '\r\n'))).toEqual([
      { path: 'a', line: 2, operations: [{ kind: 'T', line: 3, added: ['x'] }] },
    ]);
    expect(errorOf(lp1('F a', 'T', 'x\ry', '.'))).toMatchObject({ line: 4 });
    expect(errorOf('LP1\nEND\r')).toMatchObject({ line: 2 });
    expect(errorOf(lp1('F a', 'T', '\ud800', '.'))).toMatchObject({ line: 4 });
  });

  it('gives back every patch that is written out (fuzz)', () => {
    fc.assert(
      fc.property(patches, fc.constantFrom('\n' as const, '\r\n' as const), (sections, newline) => {
        const result = parsePatch(formatPatch(sections, newline));
        expect(result.ok && result.patch.sections.map(withoutLines)).toEqual(sections.map(withoutLines));
      }),
      { numRuns: 500 },
    );
  });

  it('answers any text with a patch or with an error inside the text (fuzz)', () => {
    const pieces = fc.constantFrom(
      'LP1',
      'END',
      'F a',
      'F "',
      '\\',
      'R',
      'T',
      'N +',
      '.',
      '..',
      '#',
      '\n',
      '\r\n',
      '\r',
      ' ',
      'x',
      '\ud800',
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const result = parsePatch(text);
        if (result.ok) return;
        expect(result.error.line).toBeGreaterThanOrEqual(1);
        expect(result.error.line).toBeLessThanOrEqual(text.split('\n').length);
      }),
      { numRuns: 2000 },
    );
  });
});

function withoutLines(section: ReturnType<typeof parsed>[number]) {
  return { path: section.path, operations: section.operations.map((operation) => ({ ...operation, line: 0 })) };
}
