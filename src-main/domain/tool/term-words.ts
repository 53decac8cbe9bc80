import { namedHosts, networkTerm, type NetworkTerms } from '#contract/vocabulary/network.js';
import { term, type TermChip } from '#contract/vocabulary/term-chips.js';
import type { ProcessTerms, ToolTerms } from './terms.js';

/**
 * Puts the terms of a call in short words: the only place that makes them. None where it gets nothing that has to be
 * told.
 */
export function termChips(terms: ToolTerms): readonly TermChip[] {
  const { secrets } = terms;
  const given =
    secrets.length === 0 ? [] : [term('secrets', `Is given: ${secrets.join(', ')}`, { detail: GIVEN_BY_NAME })];
  return [...heldChips(terms), ...given];
}

const GIVEN_BY_NAME = 'Keys, by the names that they are kept under.';

function heldChips({ nature, process, network, paths }: ToolTerms): readonly TermChip[] {
  if (process === null) return network.reach === 'none' ? [] : [term('network', elsewhere(network))];
  switch (process.held) {
    case 'confined':
      return [
        process.lacks === null
          ? term('sandbox', 'Sandboxed', { detail: nature === 'remote' ? PROGRAM_SEES[paths] : FILES })
          : lacking(process.lacks),
        networkTerm(network),
      ];
    case 'refused':
      return [withReason('Will fail: the sandbox is required, and ', process)];
    case 'unconfined':
      return [
        process.asked === 'off'
          ? term('sandbox', 'Unconfined: the sandbox is off', { detail: ANYTHING, warns: true })
          : withReason('Unconfined: ', process, ANYTHING),
      ];
  }
}

/** The terms in one line, for comparing two: with every host, where a chip names only the first. */
export function termsInFull(terms: ToolTerms): string {
  const { hosts } = terms.network;
  const chips = termChips(terms)
    .map(({ words }) => words)
    .join(' · ');
  return namedHosts(hosts) === hosts.join(', ') ? chips : `${chips} (${hosts.join(', ')})`;
}

const FILES =
  'It can change this folder and a temporary folder. Everything else is read-only, and your home folder is hidden ' +
  'except for tools.';
/** A program of a source, which stays longer than one call. */
const PROGRAM_SEES: Readonly<Record<ToolTerms['paths'], string>> = {
  none: 'It doesn’t see this folder, and can change only a temporary folder.',
  read: 'It can read this folder, and change only a temporary folder.',
  change: 'It can change this folder and a temporary folder.',
};
const ANYTHING = 'It can do whatever you can.';
/** The term for parts of a whole sandbox that this machine lacks. */
const lacking = (lacks: string): TermChip => term('sandbox', 'Sandboxed in part', { detail: lacks, warns: true });

/** A term with its reason: the first sentence of it stands in the chip, the rest beside it. */
function withReason(words: string, { why }: ProcessTerms, then = ''): TermChip {
  const [first = '', ...more] = (why ?? 'this machine has none').split(/(?<=\.)\s+/u);
  const detail = [...more, then].filter((sentence) => sentence !== '').join(' ');
  return term('sandbox', `${words}${first.replace(/\.$/u, '')}`, {
    detail: detail === '' ? null : detail,
    warns: true,
  });
}

const elsewhere = ({ reach, hosts }: NetworkTerms): string =>
  reach === 'any' ? 'Sent over the network' : `Sent to ${namedHosts(hosts)}`;
