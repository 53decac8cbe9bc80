import type { Assignment, WordPart, ShellWord } from './syntax.js';

/** A word without anything in it to be worked out; null otherwise. */
export function literalText({ parts }: ShellWord): string | null {
  let text = '';
  for (const part of parts) {
    if (part.kind !== 'text') return null;
    text += part.value;
  }
  return text;
}

/** `NAME=value` in front of a program; null for any other word. */
export function splitAssignment(word: ShellWord, written: string): Assignment | null {
  const [, name = ''] = /^([A-Za-z_]\w*)=/u.exec(written) ?? [];
  const [first, ...rest] = word.parts;
  if (name === '' || first?.kind !== 'text' || first.quoted || !first.value.startsWith(`${name}=`)) return null;
  const value = first.value.slice(name.length + 1);
  const parts: readonly WordPart[] = value === '' ? rest : [{ ...first, value }, ...rest];
  return { name, value: { ...word, parts } };
}
