import type { RuleOffer } from '#contract/vocabulary/effects.js';
import type { Reading } from '../../commands/reading/reading.js';
import { hasSubcommands, hasProgramTable } from '../../commands/programs/first-words.js';
import { findRunner } from '../../commands/programs/runners.js';
import { dropTimeWords } from './transparent-words.js';

/**
 * Builds what the sheet says of remembering this command. First words are offered only where it is known what may
 * follow them.
 */
export function offerRule({ read, obstacles, dangers, found, neverRemembered }: Reading): RuleOffer {
  const never = found.find(({ kind }) => neverRemembered.some((each) => each === kind));
  const [reason] = [...obstacles, ...dangers.map(asksFor), ...(never === undefined ? [] : [asksFor(never.words)])];
  if (read === null || reason !== undefined) {
    return { impossible: reason ?? 'Its words can’t be read with certainty.', prefix: null, runs: null };
  }
  const [only, ...others] = read;
  const runners = [...new Set(read.flatMap(({ words }) => findRunner(dropTimeWords(words))?.about ?? []))];
  return {
    impossible: null,
    prefix: only === undefined || others.length > 0 || !hasProgramTable(only.words) ? null : firstWords(only.words),
    runs: runners.length === 0 ? null : runners.join(' '),
  };
}

const asksFor = (words: string): string => `It asks every time: ${words}.`;

/** The program, and what it is to do where that is a word of its own: `git log`, `npm run`, `ls`. */
function firstWords(words: readonly string[]): string | null {
  const first = hasSubcommands(words) ? words.slice(0, 2) : words.slice(0, 1);
  return first.every((word) => /^[\w./:@-]+$/u.test(word)) ? first.join(' ') : null;
}
