import type { Assignment, Part, Word } from './syntax.js';

/** A word without anything in it to be worked out; null otherwise. */
export function textOf({ parts }: Word): string | null {
  let text = '';
  for (const part of parts) {
    if (part.kind !== 'text') return null;
    text += part.value;
  }
  return text;
}

/** `NAME=value` in front of a program; null for any other word. */
export function asAssignment(word: Word, written: string): Assignment | null {
  const [, name = ''] = /^([A-Za-z_]\w*)=/u.exec(written) ?? [];
  const [first, ...rest] = word.parts;
  if (name === '' || first?.kind !== 'text' || first.quoted || !first.value.startsWith(`${name}=`)) return null;
  const value = first.value.slice(name.length + 1);
  const parts: readonly Part[] = value === '' ? rest : [{ ...first, value }, ...rest];
  return { name, value: { ...word, parts } };
}
