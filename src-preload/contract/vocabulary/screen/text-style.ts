/**
 * How a piece of output looks, as one number; 0 is plain. Colours are the sixteen that every terminal has, so that both
 * themes can choose them to be read, and nothing can be written in the colour of the paper.
 */
export type TextStyle = number;

export const PLAIN_STYLE: TextStyle = 0;

const BOLD = 1;
const DIM = 2;
const ITALIC = 4;
const UNDERLINE = 8;
const STRIKE = 16;
const INVERSE = 32;
/** The bit for text that came on stderr. */
const STDERR = 64;
const FORE_AT = 7;
const FORE = 31 << FORE_AT;
const BACK_AT = 12;
const BACK = 31 << BACK_AT;

export const markStderr = (look: TextStyle): TextStyle => look | STDERR;

export interface StyleParts {
  /** 0–15; null is the text's own. */
  readonly fore: number | null;
  readonly back: number | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly strike: boolean;
  readonly stderr: boolean;
}

export function splitStyle(look: TextStyle): StyleParts {
  const fore = ((look & FORE) >> FORE_AT) - 1;
  const back = ((look & BACK) >> BACK_AT) - 1;
  const turned = (look & INVERSE) !== 0;
  // White paper with the text's own colour on it is what turning round plain text gives.
  const [front, behind] = turned ? [back, fore < 0 ? 7 : fore] : [fore, back];
  return {
    fore: front < 0 ? null : front,
    back: behind < 0 ? null : behind,
    bold: (look & BOLD) !== 0,
    dim: (look & DIM) !== 0,
    italic: (look & ITALIC) !== 0,
    underline: (look & UNDERLINE) !== 0,
    strike: (look & STRIKE) !== 0,
    stderr: (look & STDERR) !== 0,
  };
}

const ON: Readonly<Record<number, number>> = { 1: BOLD, 2: DIM, 3: ITALIC, 4: UNDERLINE, 7: INVERSE, 9: STRIKE };
const OFF: Readonly<Record<number, number>> = {
  21: BOLD,
  22: BOLD | DIM,
  23: ITALIC,
  24: UNDERLINE,
  27: INVERSE,
  29: STRIKE,
};

/** Applies “ESC [ parameters m” to a look. Hiding (8) is not obeyed, nor blinking. */
export function applySgr(look: TextStyle, parameters: string): TextStyle {
  const codes = parameters.split(';').map((code) => code.split(':').map(Number));
  let now = look;
  for (let at = 0; at < codes.length; at += 1) {
    const [code = 0, ...own] = codes[at] ?? [];
    if (code === 38 || code === 48) {
      const [colour, used] = own.length > 0 ? [readColour(own), 0] : readSeparateColour(codes, at + 1);
      at += used;
      if (colour !== null) now = code === 38 ? setForeground(now, colour) : setBackground(now, colour);
    } else now = applyCode(now, code === 4 && own[0] === 0 ? 24 : code);
  }
  return now;
}

function applyCode(look: TextStyle, code: number): TextStyle {
  if (code === 0) return PLAIN_STYLE;
  if (code >= 30 && code <= 37) return setForeground(look, code - 30);
  if (code >= 90 && code <= 97) return setForeground(look, code - 82);
  if (code >= 40 && code <= 47) return setBackground(look, code - 40);
  if (code >= 100 && code <= 107) return setBackground(look, code - 92);
  if (code === 39) return look & ~FORE;
  if (code === 49) return look & ~BACK;
  return (look | (ON[code] ?? 0)) & ~(OFF[code] ?? 0);
}

const setForeground = (look: TextStyle, colour: number): TextStyle => (look & ~FORE) | ((colour + 1) << FORE_AT);
const setBackground = (look: TextStyle, colour: number): TextStyle => (look & ~BACK) | ((colour + 1) << BACK_AT);

/** “5;n” and “2;r;g;b” in codes of their own: the colour, and how many codes that took. */
function readSeparateColour(codes: readonly (readonly number[])[], from: number): readonly [number | null, number] {
  const kind = codes[from]?.[0];
  const count = kind === 5 ? 2 : kind === 2 ? 4 : 0;
  return [readColour(codes.slice(from, from + count).map(([code = 0]) => code)), count];
}

/** “5:n”, “2:r:g:b” and “2:space:r:g:b”. */
function readColour([kind, ...rest]: readonly number[]): number | null {
  if (kind === 5) return mapPaletteColour(rest[0] ?? 0);
  const [red, green, blue] = rest.slice(-3);
  return kind === 2 && red !== undefined && green !== undefined && blue !== undefined
    ? findNearestColour(red, green, blue)
    : null;
}

function mapPaletteColour(index: number): number | null {
  if (!(index >= 0 && index <= 255)) return null;
  if (index < 16) return index;
  if (index >= 232) return findNearestColour((index - 232) * 10 + 8, (index - 232) * 10 + 8, (index - 232) * 10 + 8);
  const level = (step: number): number => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return findNearestColour(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** Red, yellow, green, cyan, blue, magenta, by sixths of the circle of hues. */
const HUES = [1, 3, 2, 6, 4, 5] as const;

function findNearestColour(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (range < 40) return most < 64 ? 0 : most < 160 ? 8 : most < 230 ? 7 : 15;
  const sixth =
    most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
  return (HUES[Math.round(sixth + 6) % 6] ?? 7) + (most >= 200 ? 8 : 0);
}

// oxlint-disable-next-line no-control-regex -- these are what goes
const DRAWING = /\u{1b}\[[0-9;:]*[mK]/gu;

/** Output for whoever draws no rows: without colours, and what would draw over is a line of its own. */
export const stripDrawing = (text: string): string => text.replace(DRAWING, '').replaceAll(/\r(?!\n)/gu, '\n');
