const WORD = /(?:[^\s"'\\]+|"(?:[^"\\]|\\.)*"|'[^']*'|\\.)+/gsu;
const QUOTED = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gsu;
const PLAIN = /^[\w@%+=:,./~-]+$/u;

/** A program with its arguments as they are written in a line: quotes hold words together, and nothing else is read as a shell would. */
export const splitCommandLine = (line: string): readonly string[] =>
  (line.match(WORD) ?? []).map((word) =>
    word.replaceAll(QUOTED, (_, double?: string, single?: string, one?: string) =>
      double === undefined ? (single ?? one ?? '') : double.replaceAll(/\\(["\\$`])/gu, '$1'),
    ),
  );

/** The same line for these words. */
export const joinCommandLine = (words: readonly string[]): string =>
  words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ');
