import { measureCell } from './cell-width.js';
import { applySgr, type TextStyle, markStderr, PLAIN_STYLE } from './text-style.js';

export type OutputStreamName = 'stdout' | 'stderr';

/** A row as it was drawn, with its line break where it has one. */
export interface OutputRow {
  readonly text: string;
  /** Pairs in turn: up to where in `text`, and how that looks. Empty where all of it is plain. */
  readonly looks: readonly number[];
}

/** A line that is longer goes on in the next row, as on a terminal of this width. It bounds what a row can take. */
export const COLUMNS = 16_384;
const TAB_STOP = 8;
const NONE: readonly number[] = [];
const FILLER = '\0';

/** Matches the next character that moves, erases or colours, and the end of a line. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const NEXT = /[\n\r\u{1b}]/gu;
// oxlint-disable-next-line no-control-regex -- as above
const RETURN_OR_SEQUENCE = /[\r\u{1b}]/gu;
// oxlint-disable-next-line no-control-regex -- the two sequences that are obeyed
const SEQUENCE = /\u{1b}\[([0-9;:]*)([mK])/uy;
/** Matches text in which each character takes one column. */
const SIMPLE = /^[\u{20}-\u{7e}\u{a1}-\u{2ff}]*$/u;

/**
 * Draws text as a terminal does, row by row: a return goes back to the beginning of the row, and cells that are not
 * drawn over stay. It obeys returns, erasing (“ESC [ K”; “ESC [ 2 K” where a return is beside it) and colours; the text
 * it gets has no other controls. Both streams draw on the same rows, each in its own colours.
 */
export class TerminalRows {
  readonly #columns: number;
  /** The count of bytes of UTF-8 that were drawn over. */
  #drawnOver = 0;
  #looks = { stdout: PLAIN_STYLE, stderr: PLAIN_STYLE };
  #look: TextStyle = PLAIN_STYLE;
  #cursor = 0;
  #width = 0;
  /** Whether nothing came since the last return. */
  #returned = false;
  #erasesOnReturn = false;
  /** The first half of a character whose other half has not come: drawn apart they could be on two rows. */
  readonly #halves = { stdout: '', stderr: '' };
  /** The row as text, for as long as nothing in it was drawn over. */
  #text = '';
  #runs: number[] = [];
  /** The row by columns, from then on: a character that takes several is in the first, and the others are empty. */
  #cells: string[] | null = null;
  #cellLooks: TextStyle[] = [];

  constructor(columns = COLUMNS) {
    this.#columns = columns;
  }

  get drawnOver(): number {
    return this.#drawnOver;
  }

  /** The rows that this finished. */
  push(given: string, stream: OutputStreamName = 'stdout'): OutputRow[] {
    const rows: OutputRow[] = [];
    const text = this.#whole(given, stream);
    this.#look = this.#lookOn(stream);
    for (let at = this.#wholeLines(text, 0, rows); at < text.length; at = this.#wholeLines(text, at, rows)) {
      NEXT.lastIndex = at;
      const next = NEXT.exec(text)?.index ?? text.length;
      if (next > at) this.#print(text.slice(at, next), rows);
      at = next;
      if (at < text.length) at += this.#control(text, at, stream, rows);
    }
    return rows;
  }

  /** The row that is not finished. */
  current(): OutputRow {
    return this.#cells === null
      ? { text: this.#text, looks: listStyleRuns(this.#runs) }
      : buildRow(this.#cells, this.#cellLooks);
  }

  /** Ends the screen after the last text: gives the unfinished row, where there is one. */
  end(): OutputRow[] {
    const rows: OutputRow[] = [];
    const { stdout, stderr } = this.#halves;
    Object.assign(this.#halves, { stdout: '', stderr: '' });
    if (stdout + stderr !== '') this.#print(stdout + stderr, rows);
    this.#endRow('', rows);
    return rows.filter(({ text }) => text !== '');
  }

  get atRowStart(): boolean {
    const isWhole = this.#halves.stdout === '' && this.#halves.stderr === '';
    return isWhole && this.#cells === null && this.#text === '' && !this.#returned && !this.#erasesOnReturn;
  }

  copy(): TerminalRows {
    const other = new TerminalRows(this.#columns);
    other.#drawnOver = this.#drawnOver;
    other.#looks = { ...this.#looks };
    Object.assign(other.#halves, this.#halves);
    other.#cursor = this.#cursor;
    other.#width = this.#width;
    other.#returned = this.#returned;
    other.#erasesOnReturn = this.#erasesOnReturn;
    other.#text = this.#text;
    other.#runs = [...this.#runs];
    other.#cells = this.#cells === null ? null : [...this.#cells];
    other.#cellLooks = [...this.#cellLooks];
    return other;
  }

  #whole(given: string, stream: OutputStreamName): string {
    const text = this.#halves[stream] + given;
    const isCut = isFirstHalf(text.charCodeAt(text.length - 1));
    this.#halves[stream] = isCut ? text.slice(-1) : '';
    return isCut ? text.slice(0, -1) : text;
  }

  #lookOn(stream: OutputStreamName): TextStyle {
    return stream === 'stderr' ? markStderr(this.#looks.stderr) : this.#looks.stdout;
  }

  /** Lines that come whole, with nothing in them to obey: most of what is ever written. */
  #wholeLines(text: string, from: number, rows: OutputRow[]): number {
    if (!this.atRowStart) return from;
    let at = from;
    let special = -1;
    for (;;) {
      const end = text.indexOf('\n', at);
      if (end === -1 || end - at > this.#columns / TAB_STOP) return at;
      if (special < at) {
        RETURN_OR_SEQUENCE.lastIndex = at;
        special = RETURN_OR_SEQUENCE.exec(text)?.index ?? text.length;
      }
      const broken = special === end - 1 && text.charCodeAt(special) === 13;
      if (special < end && !broken) return at;
      const line = text.slice(at, end + 1);
      rows.push({ text: line, looks: this.#look === PLAIN_STYLE ? NONE : [line.length, this.#look] });
      at = end + 1;
    }
  }

  #control(text: string, at: number, stream: OutputStreamName, rows: OutputRow[]): number {
    const code = text.charCodeAt(at);
    if (code === 10) {
      this.#endRow(this.#returned ? '\r\n' : '\n', rows);
      return 1;
    }
    if (code === 13) {
      this.#cursor = 0;
      if (this.#erasesOnReturn) this.#eraseRest();
      this.#erasesOnReturn = false;
      this.#returned = true;
      return 1;
    }
    SEQUENCE.lastIndex = at;
    const [all, parameters = '', last] = SEQUENCE.exec(text) ?? ['\u{1b}'];
    if (last === 'm') {
      this.#looks[stream] = applySgr(this.#looks[stream], parameters);
      this.#look = this.#lookOn(stream);
    } else if (last === 'K' && Number(parameters) === 0) this.#eraseRest();
    else if (last === 'K' && Number(parameters) === 2) {
      if (this.#cursor === 0) this.#eraseRest();
      else this.#erasesOnReturn = true;
    }
    return all.length;
  }

  #endRow(end: string, rows: OutputRow[]): void {
    const { text, looks } = this.current();
    rows.push({ text: text + end, looks });
    this.#cursor = 0;
    this.#width = 0;
    this.#returned = false;
    this.#erasesOnReturn = false;
    this.#text = '';
    this.#runs = [];
    this.#cells = null;
    this.#cellLooks = [];
  }

  #print(text: string, rows: OutputRow[]): void {
    this.#returned = false;
    this.#erasesOnReturn = false;
    if (this.#cells === null && this.#cursor === this.#width) this.#append(text, rows);
    else this.#draw(text, rows);
  }

  #append(text: string, rows: OutputRow[]): void {
    if (SIMPLE.test(text)) {
      for (let rest = text; ;) {
        const fits = rest.slice(0, this.#columns - this.#width);
        this.#add(fits, fits.length);
        rest = rest.slice(fits.length);
        if (rest === '') return;
        this.#endRow('', rows);
      }
    }
    for (const character of text) {
      const width = this.#widthOf(character, this.#width);
      if (this.#width + width > this.#columns || this.#text.length > 4 * this.#columns) this.#endRow('', rows);
      this.#add(character, this.#widthOf(character, this.#width));
    }
  }

  #add(text: string, width: number): void {
    if (text === '') return;
    this.#text += text;
    this.#width += width;
    this.#cursor = this.#width;
    appendStyleRun(this.#runs, this.#text.length, this.#look);
  }

  /** The width of a character at a column. A joining character needs something to go onto. */
  #widthOf(character: string, column: number): number {
    if (character !== '\t') return measureCell(character.codePointAt(0) ?? 0) || (column === 0 ? 1 : 0);
    return Math.max(0, this.#stopAfter(column) - column);
  }

  #stopAfter(column: number): number {
    return Math.min((Math.floor(column / TAB_STOP) + 1) * TAB_STOP, this.#columns - 1);
  }

  /** Draws over the cells at the cursor. */
  #draw(text: string, rows: OutputRow[]): void {
    const cells = (this.#cells ??= this.#toCells());
    let at = 0;
    for (const character of text) {
      const width = this.#widthOf(character, this.#cursor);
      if (character === '\t') this.#tab(cells, width);
      else if (width === 0) {
        const owner = findOwnerColumn(cells, this.#cursor - 1);
        cells[owner] = (cells[owner] ?? '') + character;
      } else if (this.#cursor + width > this.#columns) {
        for (let column = this.#cursor; column < cells.length; column += 1) this.#free(cells, column);
        cells.length = Math.min(cells.length, this.#cursor);
        this.#endRow('', rows);
        this.#append(text.slice(at), rows);
        return;
      } else this.#put(cells, character, width);
      at += character.length;
    }
  }

  #put(cells: string[], character: string, width: number): void {
    for (let column = this.#cursor; column < this.#cursor + width; column += 1) {
      this.#free(cells, column);
      cells[column] = column === this.#cursor ? character : '';
      this.#cellLooks[column] = this.#look;
    }
    this.#cursor += width;
  }

  /** Moves over existing cells, and draws only where there are none. */
  #tab(cells: string[], width: number): void {
    const stop = this.#cursor + width;
    for (let first = true; cells.length < stop; first = false) {
      cells.push(first ? '\t' : '');
      this.#cellLooks.push(this.#look);
    }
    this.#cursor = stop;
  }

  #toCells(): string[] {
    const cells: string[] = [];
    const { looks } = this.current();
    let at = 0;
    let run = 0;
    for (const character of this.#text) {
      const width = this.#widthOf(character, cells.length);
      while ((looks[run] ?? Infinity) <= at) run += 2;
      if (width === 0) cells[findOwnerColumn(cells, cells.length - 1)] += character;
      for (let column = 0; column < width; column += 1) {
        this.#cellLooks.push(looks[run + 1] ?? PLAIN_STYLE);
        cells.push(column === 0 ? character : '');
      }
      at += character.length;
    }
    return cells;
  }

  /** Clears the character in a column before it is drawn over; the other columns that it took are left blank. */
  #free(cells: string[], column: number): void {
    if (column >= cells.length) return;
    const owner = findOwnerColumn(cells, column);
    if (cells[owner] !== FILLER) this.#drawnOver += utf8Length(cells[owner] ?? '');
    cells[owner] = FILLER;
    for (let next = owner + 1; cells[next] === ''; next += 1) cells[next] = FILLER;
  }

  #eraseRest(): void {
    if (this.#cells === null) {
      if (this.#cursor === this.#width) return;
      if (this.#cursor === 0) {
        this.#drawnOver += utf8Length(this.#text);
        this.#text = '';
        this.#runs = [];
        this.#width = 0;
        return;
      }
    }
    const cells = (this.#cells ??= this.#toCells());
    for (let column = this.#cursor; column < cells.length; column += 1) this.#free(cells, column);
    cells.length = Math.min(cells.length, this.#cursor);
    this.#cellLooks.length = cells.length;
  }
}

const isFirstHalf = (code: number): boolean => code >= 0xd8_00 && code <= 0xdb_ff;

const listStyleRuns = (runs: readonly number[]): readonly number[] =>
  runs.length === 0 || (runs.length === 2 && runs[1] === PLAIN_STYLE) ? NONE : [...runs];

function appendStyleRun(runs: number[], end: number, look: TextStyle): void {
  if (runs.at(-1) === look) runs[runs.length - 2] = end;
  else runs.push(end, look);
}

function buildRow(cells: readonly string[], cellLooks: readonly TextStyle[]): OutputRow {
  const runs: number[] = [];
  let text = '';
  for (const [column, cell] of cells.entries()) {
    if (cell === '') continue;
    text += cell === FILLER ? ' ' : cell;
    appendStyleRun(runs, text.length, cellLooks[column] ?? PLAIN_STYLE);
  }
  return { text, looks: listStyleRuns(runs) };
}

/** The column where the character in this one begins. */
function findOwnerColumn(cells: readonly string[], column: number): number {
  let owner = Math.max(0, column);
  while (owner > 0 && cells[owner] === '') owner -= 1;
  return owner;
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
