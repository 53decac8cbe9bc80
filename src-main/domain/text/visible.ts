/**
 * What a person can't see, made visible: controls, formatting and bidirectional characters, characters without a
 * glyph, spaces that only look like one. For summaries and for commands, where a hidden character changes the meaning.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]|[^\P{Zs} ]/gu;

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeOf = (character: string): string =>
  NAMED[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`;

export const visible = (text: string): string => text.replace(HIDDEN, escapeOf);

export const SUMMARY_LENGTH = 200;

/** One visible line of at most `maxLength` characters, an ellipsis included; no escape is cut. */
export function visibleLine(text: string, maxLength = SUMMARY_LENGTH): string {
  // Most are short and have nothing hidden.
  if (text.length <= maxLength && text.search(HIDDEN) === -1) return text;
  // No more than this can fit, however long the text is.
  const beginning = text.slice(0, maxLength + 1);
  const parts = Array.from(beginning, (character) => visible(character));
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
export function hiddenCharacters(text: string): readonly { readonly at: number; readonly shown: string }[] {
  return [...text.matchAll(HIDDEN)]
    .filter(([character]) => !(character in NAMED))
    .map((match) => ({ at: match.index, shown: escapeOf(match[0]) }));
}
