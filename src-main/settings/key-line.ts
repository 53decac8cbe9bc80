/**
 * Finds the line (from 1) where a dotted key is set, for messages; the nearest table that holds it; null where neither
 * is found.
 */
export function findKeyLine(text: string, key: string): number | null {
  let table = '';
  let nearest: number | null = null;
  for (const [at, line] of text.split('\n').entries()) {
    const header = /^\s*\[{1,2}\s*([^\]]+?)\s*\]{1,2}/.exec(line);
    if (header !== null) {
      table = stripQuotes(header[1] ?? '');
      if (table === key) return at + 1;
      if (key.startsWith(`${table}.`)) nearest = at + 1;
      continue;
    }
    const assignment = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line);
    if (assignment === null) continue;
    const name = stripQuotes(assignment[1] ?? '');
    const whole = table === '' ? name : `${table}.${name}`;
    if (whole === key) return at + 1;
    // An inline table, or a value where a table should be.
    if (key.startsWith(`${whole}.`)) nearest = at + 1;
  }
  return nearest;
}

const stripQuotes = (dotted: string): string =>
  dotted
    .split('.')
    .map((part) => part.trim().replace(/^["'](.*)["']$/, '$1'))
    .join('.');
