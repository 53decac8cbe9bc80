import type { RuleOffer } from '../../../src-preload/contract/approvals.js';
import type { CommandAnalysis } from '../standing-confirmation.js';
import { hasTable } from './harmless-options.js';
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

/** Up to the first option: `git log`, `npm run build`. Null where they would have to be quoted, or are all there is. */
function firstWords(words: readonly string[]): string | null {
  const [program = '', verb = ''] = words;
  const many = /^(?:npm|pnpm|yarn|bun)$/u.test(program) && /^run(?:-script)?$/u.test(verb) ? 3 : 2;
  const first = words.slice(0, many);
  return first.every((word) => /^[\w./:@-]+$/u.test(word)) && first.every((word) => !word.startsWith('-'))
    ? first.join(' ')
    : null;
}
