/** How many columns of a terminal a character takes: 0 where it goes onto the one before it, 2 where it is wide. */
export function measureCell(code: number): 0 | 1 | 2 {
  if (code < 0x300) return 1;
  const character = String.fromCodePoint(code);
  if (JOINS.test(character)) return 0;
  if (code < 0x1100) return 1;
  if (EMOJI.test(character)) return 2;
  for (const [first, last] of WIDE) {
    if (code < first) return 1;
    if (code <= last) return 2;
  }
  return 1;
}

/** Marks that combine, and what has no width of its own. */
const JOINS = /^[\p{Mn}\p{Me}\p{Cf}\u{1160}-\u{11ff}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;

/** The characters that Unicode calls wide or full-width (UAX #11), as the blocks that hold them. */
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x20000, 0x3fffd],
];
