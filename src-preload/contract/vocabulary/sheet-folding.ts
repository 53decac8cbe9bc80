import type { Effect, FileEffect, RunnerChange } from './effects.js';
import type { Json, JsonObject } from './json.js';

/**
 * Limits of an approval sheet: within them a call is drawn whole; past them a part may be folded, and a second question
 * is asked about it.
 */
export const MAX_SHEET_CHARACTERS = 5000;
export const MAX_SHEET_ROWS = 200;
export const MAX_SHEET_FILES = 12;
/** A text of no more than this is drawn whole wherever its row is. */
const MAX_SHORT_TEXT = 200;

/** The person's opened rows of a call are the pointers of texts, or this for all rows. */
export const ALL_ROWS = 'rows';

export interface ArgumentRow {
  /** A JSON Pointer, which is also the key of the row. */
  readonly pointer: string;
  readonly depth: number;
  readonly label: string;
  readonly value: Json;
  /** So many characters of its text are drawn; the entries of a branch have rows of their own. */
  readonly shown: number;
}

export interface ArgumentRows {
  readonly rows: readonly ArgumentRow[];
  /** So many rows are folded at the end. */
  readonly rowsLeft: number;
  /** So many characters are folded in all. */
  readonly hidden: number;
}

const isBranch = (value: Json): value is readonly Json[] | JsonObject => typeof value === 'object' && value !== null;

const formatValue = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const listEntries = (value: readonly Json[] | JsonObject): readonly (readonly [string, Json])[] =>
  Array.isArray(value)
    ? value.map((item: Json, at): readonly [string, Json] => [String(at), item])
    : Object.entries(value);

const measureText = (value: Json): number =>
  isBranch(value)
    ? listEntries(value).reduce((sum, [, item]) => sum + measureText(item), 0)
    : formatValue(value).length;

/** Arguments as a sheet draws them: every row and every text, as far as these fit. Names are never folded where their row is drawn. */
export function layOutArguments(value: JsonObject, opened: ReadonlySet<string>): ArgumentRows {
  let left = measureText(value) <= MAX_SHEET_CHARACTERS ? Infinity : MAX_SHEET_CHARACTERS;
  const most = opened.has(ALL_ROWS) ? Infinity : MAX_SHEET_ROWS;
  const rows: ArgumentRow[] = [];
  let rowsLeft = 0;
  let hidden = 0;
  const visit = (parent: readonly Json[] | JsonObject, path: string, depth: number): void => {
    for (const [label, item] of listEntries(parent)) {
      const pointer = `${path}/${label.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const isDrawn = rows.length < most;
      const length = isBranch(item) ? 0 : formatValue(item).length;
      let shown = length;
      if (!isDrawn) {
        rowsLeft += 1;
        hidden += label.length + length;
      } else {
        if (typeof item === 'string' && length > MAX_SHORT_TEXT && !opened.has(pointer)) {
          shown = cutAtCharacter(item, Math.min(length, left));
          left -= shown;
          hidden += length - shown;
        }
        rows.push({ pointer, depth, label, value: item, shown });
      }
      if (isBranch(item)) visit(item, pointer, depth + 1);
    }
  };
  visit(value, '', 0);
  return { rows, rowsLeft, hidden };
}

/** No character is cut in two. */
function cutAtCharacter(text: string, length: number): number {
  const last = text.charCodeAt(length - 1);
  return length > 0 && length < text.length && last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}

const splitLines = (text: string): readonly string[] => text.split('\n');

/** Whether these are drawn with every file open and no line cut. */
export function fitsSheet(files: readonly FileEffect[]): boolean {
  let characters = 0;
  let rows = 0;
  for (const { before, after } of files)
    for (const text of [before ?? '', after ?? '']) {
      characters += text.length;
      if (characters > MAX_SHEET_CHARACTERS) return false;
      rows += splitLines(text).length;
    }
  return rows <= MAX_SHEET_ROWS;
}

const hasLongLine = ({ before, after }: FileEffect): boolean =>
  [before ?? '', after ?? ''].some((text) => splitLines(text).some((line) => line.length > MAX_SHEET_CHARACTERS));

/** The files that a sheet shows of a call. */
export function listSheetFiles({ effect, runnerChange }: FoldableCall): readonly FileEffect[] {
  if (effect.kind === 'files') return effect.files;
  if (effect.kind !== 'command' || runnerChange === null) return [];
  const { file, before, after } = runnerChange;
  return [{ path: file, change: before === null ? 'created' : 'modified', before, after, note: null }];
}

interface FoldableCall {
  readonly effect: Effect;
  readonly arguments: JsonObject;
  readonly runnerChange: RunnerChange | null;
}

const NOTHING_OPENED: ReadonlySet<string> = new Set();

export const hasArgumentRows = ({ kind }: Effect): boolean => kind === 'arguments' || kind === 'problem';

/** Whether a sheet may fold a part of this call. */
export function mayBeFolded(call: FoldableCall): boolean {
  if (hasArgumentRows(call.effect)) return layOutArguments(call.arguments, NOTHING_OPENED).hidden > 0;
  const files = listSheetFiles(call);
  return (files.length > MAX_SHEET_FILES || files.some(hasLongLine)) && !fitsSheet(files);
}
