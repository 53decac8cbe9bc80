import { isHarmless } from '../harmless.js';
import type { Strength } from '../names.js';
import type { Span } from '../spans.js';

/** The name of an element that says by it, or by an attribute, that its content is secret. */
interface ElementName extends Span {
  readonly strength: Strength;
}

const MAX_LENGTH = 16_384;
/** The rest of a tag, which has no other in it and doesn’t close itself. */
const TAG_END = /(?:\s[^<>]{0,400})?(?<!\/)>/uy;
const ATTRIBUTE_END = /["'](?:\s[^<>]{0,400})?(?<!\/)>/uy;
/** A list of Apple's: the name is an element, and so is the value. */
const NEXT_ELEMENT = /<\/key>\s{0,64}<(?:string|data|integer)>/uy;
const INPUT_VALUE = /["'][^<>]{0,400}?\svalue=(["'])([^"'<>]{1,512})\1/uy;

const reach = (pattern: RegExp, text: string, at: number): number | null => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
};

export function valuesInMarkup(text: string, name: ElementName): readonly Span[] {
  const last = text.charAt(name.start - 1);
  const next = text.charAt(name.end);
  if (!`<:"'>`.includes(last) || !`> \t\n\r"'<`.includes(next)) return [];
  const before = text.slice(Math.max(0, name.start - 200), name.start);
  const element = /<((?:[\w.-]{1,40}:)?)$/u.exec(before);
  if (element !== null) {
    const from = reach(TAG_END, text, name.end);
    const tag = `${element[1] ?? ''}${text.slice(name.start, name.end)}`;
    return from === null ? [] : content(text, from, { tag, opensLine: /(?:^|\n)\s*<[^<]*$/u.test(before) }, name);
  }
  if (last === '>') {
    const from = before.endsWith('<key>') ? reach(NEXT_ELEMENT, text, name.end) : null;
    return from === null ? [] : content(text, from, null, name);
  }
  if (/<[\w.:-]{1,40}\s(?:[^<>]{0,160}\s)?(?:key|name)=["']$/u.test(before)) {
    const from = reach(ATTRIBUTE_END, text, name.end);
    // Words of a form and translations stand so, too.
    return from === null ? [] : content(text, from, null, { ...name, strength: 'weak' }, false);
  }
  return name.strength === 'strong' && /<input\s(?:[^<>]{0,160}\s)?type=["']$/iu.test(before)
    ? inputValue(text, name)
    : [];
}

/** Whether a text describes a secret: words, and nothing that is none. */
const isProse = (value: string): boolean => /^[\p{L}’'(-]+(?:[,;:.]?\s+[\p{L}’'(-]+[,;:.!?)]*){3,200}$/u.test(value);

/** Whether the closing is there, all of it or as much as there is of the text. */
const begins = (text: string, at: number, closing: string): boolean =>
  at < text.length && closing.startsWith(text.slice(at, at + closing.length));

/** Up to the next tag, which closes this one; where the text ends before that, it was cut off. */
function content(
  text: string,
  from: number,
  opening: { readonly tag: string; readonly opensLine: boolean } | null,
  { strength }: ElementName,
  quoted = true,
): readonly Span[] {
  const isData = text.startsWith('<![CDATA[', from);
  const start = isData ? from + 9 : from;
  const limit = Math.min(text.length, start + MAX_LENGTH);
  const closing = isData ? ']]>' : `</${opening?.tag ?? ''}`;
  const found = text.slice(start, limit).indexOf(isData ? closing : '<');
  const end = found === -1 ? limit : start + found;
  const written = text.slice(start, end);
  const isCutOff = end === text.length && (opening?.opensLine !== false || !written.includes('\n'));
  if (!isCutOff && !begins(text, end, closing)) return [];
  const value = written.trim();
  if (/^(?:[{$%@].*|\/[\w./-]*|)$/u.test(value) || isProse(value) || isHarmless(value, { strength, quoted })) return [];
  const first = start + written.indexOf(value);
  return [{ start: first, end: first + value.length }];
}

function inputValue(text: string, name: ElementName): readonly Span[] {
  INPUT_VALUE.lastIndex = name.end;
  const found = INPUT_VALUE.exec(text);
  const value = found?.[2] ?? '';
  if (found === null || isHarmless(value, { strength: 'strong', quoted: true })) return [];
  const end = name.end + found[0].length - 1;
  return [{ start: end - value.length, end }];
}
