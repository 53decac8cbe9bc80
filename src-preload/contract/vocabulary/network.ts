import { term, type TermChip } from './term-chips.js';

/** What of the network the person allows one call: these hosts, spelled as `allowed_hosts` are, or any. None is nothing. */
export type AllowedNetwork = 'any' | readonly string[];

export const NOTHING_ALLOWED: AllowedNetwork = [];

export const allowsNothing = (allowed: AllowedNetwork): boolean => allowed !== 'any' && allowed.length === 0;

/** What a call can reach, as a value. */
export interface NetworkTerms {
  readonly reach: 'none' | 'hosts' | 'any';
  /** All of them; where it can reach any, those that are meant although they are on this computer or next to it. */
  readonly hosts: readonly string[];
  readonly by: 'nobody' | 'settings' | 'person';
}

export const NO_NETWORK: NetworkTerms = { reach: 'none', hosts: [], by: 'nobody' };

/** What a call is known to need of the network. */
export interface NeededHosts {
  readonly hosts: readonly string[];
  /** It needs others as well, and which can’t be told. */
  readonly others: boolean;
}

/** What of the network the person may allow one call. */
export interface NetworkOffer extends NeededHosts {
  /** What it can reach anyway. */
  readonly bySettings: NetworkTerms;
}

/** What a call can reach where the person allows it this, besides what the settings give. */
export function withAllowed(bySettings: NetworkTerms, allowed: AllowedNetwork): NetworkTerms {
  if (bySettings.reach === 'any' || allowsNothing(allowed)) return bySettings;
  return allowed === 'any'
    ? { reach: 'any', hosts: bySettings.hosts, by: 'person' }
    : { reach: 'hosts', hosts: [...new Set([...bySettings.hosts, ...allowed])], by: 'person' };
}

/** The same in words, for a sheet. */
export function networkTerm(network: NetworkTerms): TermChip {
  switch (network.reach) {
    case 'none':
      return term('network', 'No network');
    case 'any':
      return term('network', 'Any host', { detail: ANY_HOST });
    case 'hosts':
      return term('network', `Network: ${namedHosts(network.hosts)}`, { detail: `No other host. ${BY_PROXY}` });
  }
}

const BY_PROXY = 'Only programs that use the proxy reach it.';
const ANY_HOST = `It can reach the internet and your own networks, but no server on this computer. ${BY_PROXY}`;

const MOST_NAMED = 5;

export function namedHosts(hosts: readonly string[]): string {
  const more = hosts.length > MOST_NAMED ? ` and ${hosts.length - MOST_NAMED} more` : '';
  return `${hosts.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** How a grant names it, and the record with it. */
export const networkCapabilities = (allowed: AllowedNetwork): readonly string[] =>
  allowed === 'any' ? ['network'] : allowed.map((host) => `network:${host}`);

export const networkGranted = (capabilities: readonly string[]): AllowedNetwork =>
  capabilities.includes('network')
    ? 'any'
    : capabilities.filter((each) => each.startsWith('network:')).map((each) => each.slice('network:'.length));
