import type { RuleOffer } from '#contract/vocabulary/effects.js';
import type { CommandAnalysis } from './standing-confirmation.js';
import { hasSubcommands, hasTable } from './harmless-options.js';
import { runnerOf } from './runners.js';

/** What the sheet says of remembering this command. First words are offered only where it is known what may follow them. */
export function offerOfRule({ read, obstacles, dangers }: CommandAnalysis): RuleOffer {
  const [reason] = [...obstacles, ...dangers];
  if (read === null || reason !== undefined) {
    return { impossible: reason ?? 'Not understood for certain.', prefix: null, runs: null };
  }
  const [only, ...others] = read;
  const runners = [...new Set(read.flatMap(({ words }) => runnerOf(words)?.about ?? []))];
  return {
    impossible: null,
    prefix: only === undefined || others.length > 0 || !hasTable(only.words) ? null : firstWords(only.words),
    runs: runners.length === 0 ? null : runners.join(' '),
  };
}

/** The program, and what it is to do where that is a word of its own: `git log`, `npm run`, `ls`. */
function firstWords(words: readonly string[]): string | null {
  const first = hasSubcommands(words) ? words.slice(0, 2) : words.slice(0, 1);
  return first.every((word) => /^[\w./:@-]+$/u.test(word)) ? first.join(' ') : null;
}
