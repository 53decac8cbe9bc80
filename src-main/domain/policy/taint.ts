import { formatHosts, type NeededHosts } from '#contract/vocabulary/network.js';
import type { ToolTerms } from '../tool/terms.js';
import type { GivenText } from './given-texts.js';

/** The reason against a call in what its asker's model has read. Part of what a call is judged on. */
export interface Taint {
  /** Text that the person did not write, by file or command, in the order in which it was given. */
  readonly after: readonly string[];
  /** Private data that was read, or is named by this very call. */
  readonly privates: readonly string[];
  /** Where this call could take it. */
  readonly out: string;
  /** Whether the call has an effect outside, so that no standing confirmation covers it but one for after such text. */
  readonly leaves: boolean;
  /** Whether all of the text is of the folder: nothing is against the call any more where the person trusts that. */
  readonly onlyFolder: boolean;
  /** Whether that trust is all that is missing; found out where it asks. */
  readonly trustWouldDo?: boolean;
}

/** A way out of the workspace, or of this machine. */
export interface Egress {
  readonly words: string;
  readonly leaves: boolean;
}

export interface TaintInput {
  readonly texts: readonly GivenText[];
  /** The person trusts what is written in this folder. */
  readonly trusted: boolean;
  /** The session whose call it is, and how many texts it had been given when this call came. */
  readonly session: string;
  readonly heard: number;
}

/** Null where nothing is against it: no such text, or no way out. `named`: what is private of what the call itself names. */
export function findTaint(given: TaintInput, way: Egress | null, named: readonly string[]): Taint | null {
  if (way === null) return null;
  // What its own session was given after it came is no reason for it: it was written before.
  const before = given.texts.filter(({ session }, at) => at < given.heard || session !== given.session);
  const foreign = before.filter(({ ofFolder }) => !(given.trusted && ofFolder));
  const privates = before.filter(({ isPrivate }) => isPrivate).map(({ name }) => name);
  const tainted: Taint = {
    after: foreign.map(({ name }) => name),
    privates: [...new Set([...privates, ...named])],
    out: way.words,
    leaves: way.leaves,
    onlyFolder: foreign.every(({ ofFolder }) => ofFolder),
  };
  return foreign.length > 0 && (way.leaves || tainted.privates.length > 0) ? tainted : null;
}

/** Text that the person did not write, private data and a way out: together they are never let run in advance. */
export const hasAllThreeRisks = ({ privates }: Taint): boolean => privates.length > 0;

/** Whether more is against it now than when the person said yes to it. */
export const isTaintWorse = (now: Taint | null, judged: Taint | null): boolean =>
  now !== null && (judged === null || (hasAllThreeRisks(now) && !hasAllThreeRisks(judged)));

/** Why it asks, in a sentence. */
export const taintWords = (tainted: Taint): string =>
  hasAllThreeRisks(tainted)
    ? `Three things meet here: private data (${joinSomeNames(tainted.privates)}), text that you didn’t write (${afterWords(tainted)}), and a way out (${tainted.out}).`
    : `It can reach ${tainted.out}, ${afterWords(tainted)}.`;

const afterWords = ({ after }: Taint): string => `after reading ${joinSomeNames(after)}`;

const MAX_NAMED = 3;

/** Joins at most three names in their order, and says how many more there are. */
export function joinSomeNames(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED);
  const more = names.length - named.length;
  if (more > 0) return `${named.join(', ')} and ${more} more`;
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

interface EgressTool {
  readonly name: string;
  readonly nature: string;
  readonly sideEffecting: boolean;
  /** Whether others than its source may read what the tool is asked. */
  readonly openWorld: boolean;
}

/**
 * Where a call could take what was read; null where it stays on this machine: what is told to a program that is held here without
 * a network it can't tell anybody. `named`: the hosts that it names itself.
 */
export function findEgress(
  { name, nature, sideEffecting, openWorld }: EgressTool,
  { process, network }: ToolTerms,
  named: NeededHosts,
): Egress | null {
  if (nature === 'remote') {
    if (process?.held === 'confined' && network.reach === 'none') return null;
    return { words: name, leaves: sideEffecting || openWorld || process?.held === 'unconfined' };
  }
  // What the app itself sends, to a host of the person's own choice.
  if (process === null)
    return network.reach === 'none'
      ? null
      : { words: describeHosts(network.hosts, network.reach === 'any'), leaves: false };
  if (process.held === 'unconfined') return { words: `${describeHosts(named.hosts, true)}, unsandboxed`, leaves: true };
  const hosts = network.reach === 'hosts' ? [...new Set([...named.hosts, ...network.hosts])] : named.hosts;
  const others = network.reach === 'any' || named.others;
  return hosts.length === 0 && !others ? null : { words: describeHosts(hosts, others), leaves: true };
}

const describeHosts = (hosts: readonly string[], others: boolean): string =>
  hosts.length === 0 ? 'any host' : `${formatHosts(hosts)}${others ? ' and any host' : ''}`;
