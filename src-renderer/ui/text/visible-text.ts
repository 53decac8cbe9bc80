/**
 * Text that came from a model, a tool or a file is data. React keeps markup inert; what it can't do is show what the
 * eye would miss: control characters, zero-width marks and the bidirectional overrides with which “safe.txt” can be
 * made to read backwards. They are shown as escapes, and the caller marks them so that they can't pass for text.
 */
export interface TextPart {
  readonly text: string;
  /** An escape that stands for a character that can't be seen. */
  readonly escape: boolean;
}

// Tab and line feed are layout. The joiner and the variation selector inside an emoji only choose its picture.
const IN_EMOJI =
  '(?<=\\p{Extended_Pictographic})\\ufe0f|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})';
const HIDDEN =
  '[\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]|[^\\P{Cc}\\n\\t]|[^\\P{Zs} ]';
const INVISIBLE = new RegExp(`(?!${IN_EMOJI})(?:${HIDDEN})`, 'u');
const INVISIBLE_ALL = new RegExp(INVISIBLE.source, 'gu');

/** Written as main writes them in summaries, so that one character has one look. */
const escapeOf = (character: string): string =>
  character === '\r' ? '\\r' : `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`;

export const hasInvisible = (text: string): boolean => INVISIBLE.test(text);

/** Splits `text` into what can be shown as it is and escapes for what can't. */
export function visibleParts(text: string): readonly TextPart[] {
  if (!hasInvisible(text)) return text === '' ? [] : [{ text, escape: false }];
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(INVISIBLE_ALL)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), escape: false });
    parts.push({ text: escapeOf(match[0]), escape: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), escape: false });
  return parts;
}

/** The same as one string, for names and attributes that can hold nothing else. */
export const visibleText = (text: string): string => text.replace(INVISIBLE_ALL, escapeOf);

/** One line for a list or a label: line breaks become visible too. */
export const oneLine = (text: string, limit = 300): string => {
  const flat = visibleText(text.length > limit * 4 ? text.slice(0, limit * 4) : text).replace(/\s*\n\s*/g, ' ⏎ ');
  return flat.length > limit || text.length > limit * 4 ? `${flat.slice(0, limit)}…` : flat;
};
