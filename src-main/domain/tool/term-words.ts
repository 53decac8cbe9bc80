import { formatHosts, buildNetworkTerm, type NetworkTerms } from '#contract/vocabulary/network.js';
import { buildTerm, type TermChip } from '#contract/vocabulary/term-chips.js';
import type { ProcessTerms, ToolTerms } from './terms.js';

/**
 * Puts the terms of a call in short words: the only place that makes them. None where it gets nothing that has to be
 * told.
 */
export function buildTermChips(terms: ToolTerms): readonly TermChip[] {
  const { secrets } = terms;
  const given =
    secrets.length === 0 ? [] : [buildTerm('secrets', `Is given: ${secrets.join(', ')}`, { detail: GIVEN_BY_NAME })];
  return [...buildConfinementChips(terms), ...given];
}

const GIVEN_BY_NAME = 'Keys, by the names that they are kept under.';

function buildConfinementChips({ nature, process, network, paths }: ToolTerms): readonly TermChip[] {
  if (process === null) return network.reach === 'none' ? [] : [buildTerm('network', describeRemoteNetwork(network))];
  switch (process.held) {
    case 'confined':
      return [
        process.lacks === null
          ? buildTerm('sandbox', 'Sandboxed', { detail: nature === 'remote' ? PROGRAM_SEES[paths] : SANDBOX_ACCESS })
          : partialSandboxTerm(process.lacks),
        buildNetworkTerm(network),
      ];
    case 'refused':
      return [termWithReason('Will fail: the sandbox is required, and ', process)];
    case 'unconfined':
      return [
        process.asked === 'off'
          ? buildTerm('sandbox', 'Unconfined: the sandbox is off', { detail: UNCONFINED_ACCESS, warns: true })
          : termWithReason('Unconfined: ', process, UNCONFINED_ACCESS),
      ];
  }
}

/** The terms in one line, for comparing two: with every host, where a chip names only the first. */
export function formatTerms(terms: ToolTerms): string {
  const { hosts } = terms.network;
  const chips = buildTermChips(terms)
    .map(({ words }) => words)
    .join(' · ');
  return formatHosts(hosts) === hosts.join(', ') ? chips : `${chips} (${hosts.join(', ')})`;
}

const SANDBOX_ACCESS =
  'It can change this folder and a temporary folder. Everything else is read-only, and your home folder is hidden ' +
  'except for tools.';
/** A program of a source, which stays longer than one call. */
const PROGRAM_SEES: Readonly<Record<ToolTerms['paths'], string>> = {
  none: 'It doesn’t see this folder, and can change only a temporary folder.',
  read: 'It can read this folder, and change only a temporary folder.',
  change: 'It can change this folder and a temporary folder.',
};
const UNCONFINED_ACCESS = 'It can do whatever you can.';
/** The term for parts of a whole sandbox that this machine lacks. */
const partialSandboxTerm = (lacks: string): TermChip =>
  buildTerm('sandbox', 'Sandboxed in part', { detail: lacks, warns: true });

/** A term with its reason: the first sentence of it stands in the chip, the rest beside it. */
function termWithReason(words: string, { why }: ProcessTerms, then = ''): TermChip {
  const [first = '', ...more] = (why ?? 'this machine has none').split(/(?<=\.)\s+/u);
  const detail = [...more, then].filter((sentence) => sentence !== '').join(' ');
  return buildTerm('sandbox', `${words}${first.replace(/\.$/u, '')}`, {
    detail: detail === '' ? null : detail,
    warns: true,
  });
}

const describeRemoteNetwork = ({ reach, hosts }: NetworkTerms): string =>
  reach === 'any' ? 'Sent over the network' : `Sent to ${formatHosts(hosts)}`;
