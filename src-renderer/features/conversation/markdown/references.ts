/** Link references, “[docs]: https://…”: addresses by their labels, wherever in the text they are. */
export type References = Readonly<Record<string, string>>;

export const NO_REFERENCES: References = Object.freeze(Object.create(null) as Record<string, string>);

const DEFINITION =
  /^ {0,3}\[(?!\^)([^\]\n]{1,200})\]:[ \t]*<?(https?:\/\/[^\s<>]{1,3900})>?(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^)\n]*\)))?[ \t]*$/giu;
const FENCE = /^ {0,3}(?:`{3,}|~{3,})/u;
const MAX_REFERENCES = 500;

/** Normalizes a label for comparison: the first of two counts. */
export const normalizeLabel = (text: string): string => text.trim().toLowerCase().replaceAll(/\s+/gu, ' ');

/** Reads references to pages of the web alone; the very same object as before where nothing changed. */
export function readReferences(text: string, before: References = NO_REFERENCES): References {
  if (!text.includes(']:')) return NO_REFERENCES;
  const found = Object.create(null) as Record<string, string>;
  let count = 0;
  let isCode = false;
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) isCode = !isCode;
    if (isCode || !line.includes(']:')) continue;
    for (const [, label = '', address = ''] of line.matchAll(DEFINITION)) {
      const name = normalizeLabel(label);
      if (name === '' || name in found || count >= MAX_REFERENCES) continue;
      found[name] = address;
      count += 1;
    }
  }
  if (count === 0) return NO_REFERENCES;
  return JSON.stringify(found) === JSON.stringify(before) ? before : found;
}
