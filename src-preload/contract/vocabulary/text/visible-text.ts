/**
 * Characters that a person can't see, to be made visible: controls, formatting and bidirectional characters (with which
 * “safe.txt” can be made to read backwards), characters without a glyph, spaces that only look like one. All text from
 * a model, a tool or a file is shown through this, so that one character has one look everywhere.
 */
const HIDDEN =
  '[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\u2800]|[^\\P{Zs} ]';
const IN_LINE = new RegExp(HIDDEN, 'gu');

// Tab and line feed are layout in a text. The joiner and the variation selector inside an emoji only choose its
// picture.
const IN_EMOJI =
  '(?<=\\p{Extended_Pictographic})\\ufe0f|(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})';
const ANY_IN_TEXT = new RegExp(`(?![\\n\\t]|${IN_EMOJI})(?:${HIDDEN})`, 'u');
const IN_TEXT = new RegExp(ANY_IN_TEXT, 'gu');

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeCharacter = (character: string): string =>
  NAMED[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`;

/** Makes a text visible for a single line, where nothing may hide: no layout and no emoji is spared. */
export const toVisible = (text: string): string => text.replace(IN_LINE, escapeCharacter);

export const MAX_SUMMARY_LENGTH = 200;

/** Makes a text one visible line of at most `maxLength` characters, an ellipsis included; no escape is cut. */
export function toVisibleLine(text: string, maxLength = MAX_SUMMARY_LENGTH): string {
  // Most are short and have nothing hidden.
  if (text.length <= maxLength && text.search(IN_LINE) === -1) return text;
  // No more than this can fit, however long the text is.
  const beginning = text.slice(0, maxLength + 1);
  const parts = Array.from(beginning, (character) => toVisible(character));
  let length = 0;
  let fitting = 0;
  for (const part of parts) {
    if (length + part.length > maxLength) break;
    length += part.length;
    fitting += 1;
  }
  if (fitting === parts.length && beginning.length === text.length) return parts.join('');
  while (length > maxLength - 1) {
    fitting -= 1;
    length -= parts[fitting]?.length ?? 0;
  }
  return `${parts.slice(0, fitting).join('')}…`;
}

/** Where hidden characters are, as UTF-16 positions, for pointing them out. */
export function findHiddenCharacters(text: string): readonly { readonly at: number; readonly shown: string }[] {
  return [...text.matchAll(IN_LINE)]
    .filter(([character]) => !(character in NAMED))
    .map((match) => ({ at: match.index, shown: escapeCharacter(match[0]) }));
}

export const hasInvisible = (text: string): boolean => ANY_IN_TEXT.test(text);

/** A text of many lines as one string, for names and attributes that can hold nothing else. */
export const toVisibleText = (text: string): string => text.replace(IN_TEXT, escapeCharacter);

export interface TextPart {
  readonly text: string;
  /** Escapes a character that can't be seen. */
  readonly escape: boolean;
}

/** The same in parts: whoever shows them marks the escapes, so that they can't pass for text. */
export function splitVisibleText(text: string): readonly TextPart[] {
  if (!hasInvisible(text)) return text === '' ? [] : [{ text, escape: false }];
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(IN_TEXT)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index), escape: false });
    parts.push({ text: escapeCharacter(match[0]), escape: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), escape: false });
  return parts;
}
