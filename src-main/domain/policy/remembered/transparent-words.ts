import type { PlainCommand } from '../../commands/shell/plain-command.js';

/**
 * Drops the words before a program that change nothing of what it does: `time`, and `timeout` with a time and no
 * option.
 */
export function dropTimeWords(words: readonly string[]): readonly string[] {
  const [first, ...rest] = words;
  return dropTimeout(first === 'time' ? rest : words);
}

const dropTimeout = (words: readonly string[]): readonly string[] => {
  const [first, time = '', ...rest] = words;
  return first === 'timeout' && rest.length > 0 && /^\d+(?:\.\d+)?[smhd]?$/u.test(time) ? rest : words;
};

/** The folder that a `cd` in front of all the rest names; null where there is none. It is read nowhere else. */
export function findLeadingCd(read: readonly PlainCommand[]): string | null {
  const [program, folder] = read[0]?.words ?? [];
  return program === 'cd' ? (folder ?? null) : null;
}

/**
 * Writes a leading `cd` so that no shell looks for its folder anywhere else: `cd a` may lead to one of CDPATH’s, `cd
 * ./a` never does.
 */
export function pinLeadingCd(read: readonly PlainCommand[]): readonly PlainCommand[] {
  const [first, ...rest] = read;
  const folder = findLeadingCd(read);
  return first === undefined || folder === null || /^\.?\//u.test(folder)
    ? read
    : [{ ...first, words: ['cd', `./${folder}`] }, ...rest];
}
