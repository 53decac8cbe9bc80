import type { MatchKind, PatchOperation, ParseResult, PatchProblem, PatchSection } from './patch.js';

/** Thrown inside the parser only; `parsePatch` returns it. */
class PatchSyntaxError extends Error {
  readonly at: PatchProblem;
  constructor(line: number, problem: string) {
    super(problem);
    this.at = { line, problem };
  }
}

const TERMINATOR = /^\.[ \t]*$/;
const OPERATION = /^([RIPETBN])(?:[ \t]+(.*))?$/;
const isBlank = (line: string) => /^[ \t]*$/.test(line);
const trimBlanks = (line: string) => line.replace(/^[ \t]+|[ \t]+$/g, '');

/** Walks the lines of the patch; `number` is that of the line last taken. */
interface PatchCursor {
  readonly lines: readonly string[];
  number: number;
}

/** Parses a patch, whole or to the first thing that is wrong with it. Never throws, whatever the text. */
export function parsePatch(text: string): ParseResult {
  try {
    const cursor: PatchCursor = { lines: splitPatch(text), number: 0 };
    readHeader(cursor);
    const sections = readSections(cursor);
    refuseTrailingText(cursor);
    return { ok: true, patch: { sections } };
  } catch (error) {
    if (error instanceof PatchSyntaxError) return { ok: false, error: error.at };
    throw error;
  }
}

function splitPatch(text: string): readonly string[] {
  const lines = text.split('\n');
  // Text after the last boundary is a line only if there is something in it.
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  for (const [index, line] of lines.entries()) {
    const boundary = line.endsWith('\r') && (index < lines.length - 1 || text.endsWith('\n'));
    const content = boundary ? line.slice(0, -1) : line;
    if (content.includes('\r')) throw new PatchSyntaxError(index + 1, 'a carriage return without a line feed');
    if (!content.isWellFormed())
      throw new PatchSyntaxError(index + 1, 'half of a surrogate pair, which is not a character');
    lines[index] = content;
  }
  return lines;
}

/** The next line that is neither blank nor a comment, without the blanks around it; null at the end. */
function readMeaningfulLine(cursor: PatchCursor): string | null {
  for (;;) {
    const line = cursor.lines[cursor.number];
    if (line === undefined) return null;
    cursor.number += 1;
    const content = trimBlanks(line);
    if (content !== '' && !content.startsWith('#')) return content;
  }
}

function readHeader(cursor: PatchCursor): void {
  const line = readMeaningfulLine(cursor);
  if (line === 'LP1') return;
  const problem = line === null ? 'the header is missing' : `the header is missing before ${quoteText(line)}`;
  throw new PatchSyntaxError(cursor.number, `${problem}; a patch begins with LP1 alone on its line`);
}

function readSections(cursor: PatchCursor): readonly PatchSection[] {
  const sections: (PatchSection & { readonly operations: PatchOperation[] })[] = [];
  for (;;) {
    const line = readMeaningfulLine(cursor);
    if (line === null)
      throw new PatchSyntaxError(cursor.number, 'the footer is missing; a patch ends with END alone on its line');
    if (line === 'END') return sections;
    if (line === 'F' || line.startsWith('F ') || line.startsWith('F\t')) {
      sections.push({ path: readPath(line.slice(1), cursor.number), line: cursor.number, operations: [] });
      continue;
    }
    const section = sections.at(-1);
    const operation = OPERATION.exec(line);
    if (operation === null) throw new PatchSyntaxError(cursor.number, `not an operation: ${quoteText(line)}`);
    if (section === undefined) throw new PatchSyntaxError(cursor.number, `${quoteText(line)} stands before any F line`);
    section.operations.push(readOperation(cursor, operation[1] ?? '', operation[2] ?? ''));
  }
}

function refuseTrailingText(cursor: PatchCursor): void {
  while (cursor.number < cursor.lines.length) {
    const line = cursor.lines[cursor.number] ?? '';
    cursor.number += 1;
    if (!isBlank(line)) throw new PatchSyntaxError(cursor.number, `${quoteText(line)} after END`);
  }
}

function readPath(text: string, line: number): string {
  const rest = trimBlanks(text);
  if (rest === '') throw new PatchSyntaxError(line, 'F without a path');
  if (!rest.startsWith('"')) {
    const blank = /[ \t]/.exec(rest);
    if (blank === null) return rest;
    throw new PatchSyntaxError(
      line,
      `text after the path ${quoteText(rest.slice(0, blank.index))}; a path with blanks goes in quotes`,
    );
  }
  return readQuoted(rest, line);
}

function readQuoted(text: string, line: number): string {
  let path = '';
  for (let at = 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      if (at !== text.length - 1) throw new PatchSyntaxError(line, `text after the path ${quoteText(path)}`);
      if (path === '') throw new PatchSyntaxError(line, 'F without a path');
      return path;
    }
    if (character === '\\') {
      at += 1;
      const escaped = text[at];
      if (escaped !== '"' && escaped !== '\\') {
        throw new PatchSyntaxError(line, `unknown escape \\${escaped ?? ''} in a path; there are \\" and \\\\`);
      }
      path += escaped;
    } else path += character;
  }
  throw new PatchSyntaxError(line, 'the quotes of the path are not closed');
}

function readOperation(cursor: PatchCursor, kind: string, argument: string): PatchOperation {
  const line = cursor.number;
  switch (kind) {
    case 'N':
      if (argument !== '+' && argument !== '-') throw new PatchSyntaxError(line, 'N is followed by + or -');
      return { kind, line, finalNewline: argument === '+' };
    case 'T':
    case 'B':
      if (argument !== '')
        throw new PatchSyntaxError(line, `${kind} takes nothing after it, not ${quoteText(argument)}`);
      return { kind, line, added: readBlock(cursor, kind, line, 'new') };
    default:
      return readMatchOperation(cursor, kind as MatchKind, argument);
  }
}

function readMatchOperation(cursor: PatchCursor, kind: MatchKind, argument: string): PatchOperation {
  const line = cursor.number;
  const occurrence = argument === '' ? null : readOccurrence(argument, line);
  const find = readBlock(cursor, kind, line, 'find');
  if (find.length === 0) throw new PatchSyntaxError(line, `the find block of ${kind} is empty`);
  const replacement = kind === 'E' ? [] : readBlock(cursor, kind, line, 'new');
  return { kind, line, occurrence, find, replacement };
}

function readOccurrence(text: string, line: number): number {
  const occurrence = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (occurrence < 1) throw new PatchSyntaxError(line, `${quoteText(text)} is not an occurrence; they count from 1`);
  return occurrence;
}

function readBlock(cursor: PatchCursor, kind: string, operationLine: number, name: 'find' | 'new'): readonly string[] {
  const block: string[] = [];
  for (;;) {
    const line = cursor.lines[cursor.number];
    if (line === undefined) {
      const which = `the ${name} block of ${kind} in line ${operationLine}`;
      throw new PatchSyntaxError(
        cursor.number,
        `${which} is missing or has no end; a dot alone on its line ends a block`,
      );
    }
    cursor.number += 1;
    if (TERMINATOR.test(line)) return block;
    if (!line.startsWith('.')) block.push(line);
    else if (line.startsWith('..')) block.push(line.slice(1));
    else
      throw new PatchSyntaxError(cursor.number, 'a content line that begins with a dot needs one more dot before it');
  }
}

/** A piece of the patch inside a message: short, and quoted so that odd characters show. */
function quoteText(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text);
}
