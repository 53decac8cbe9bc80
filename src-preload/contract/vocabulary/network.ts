import { buildTerm, type TermChip } from './term-chips.js';

/**
 * The network access that the person grants one call: these hosts, spelled as `allowed_hosts` are, or any. An empty
 * list grants nothing.
 */
export type AllowedNetwork = 'any' | readonly string[];

export const NOTHING_ALLOWED: AllowedNetwork = [];

export const isNothingAllowed = (allowed: AllowedNetwork): boolean => allowed !== 'any' && allowed.length === 0;

/** The network access of a call, as a value. */
export interface NetworkTerms {
  readonly reach: 'none' | 'hosts' | 'any';
  /**
   * The hosts, all of them; with reach `any`, those that are meant although they are on this computer or next to it.
   */
  readonly hosts: readonly string[];
  readonly by: 'nobody' | 'settings' | 'person';
}

export const NO_NETWORK: NetworkTerms = { reach: 'none', hosts: [], by: 'nobody' };

/** The hosts that a call is known to need. */
export interface NeededHosts {
  readonly hosts: readonly string[];
  /** Whether it needs others as well that can’t be named. */
  readonly others: boolean;
}

/** The network access that the person may grant one call. */
export interface NetworkOffer extends NeededHosts {
  /** The access that it has anyway. */
  readonly bySettings: NetworkTerms;
}

/** Adds the person's grant for a call to what the settings give. */
export function addAllowedNetwork(bySettings: NetworkTerms, allowed: AllowedNetwork): NetworkTerms {
  if (bySettings.reach === 'any' || isNothingAllowed(allowed)) return bySettings;
  return allowed === 'any'
    ? { reach: 'any', hosts: bySettings.hosts, by: 'person' }
    : { reach: 'hosts', hosts: [...new Set([...bySettings.hosts, ...allowed])], by: 'person' };
}

/** The same in words, for a sheet. */
export function buildNetworkTerm(network: NetworkTerms): TermChip {
  switch (network.reach) {
    case 'none':
      return buildTerm('network', 'No network');
    case 'any':
      return buildTerm('network', 'Any host', { detail: ANY_HOST });
    case 'hosts':
      return buildTerm('network', `Network: ${formatHosts(network.hosts)}`, { detail: `No other host. ${BY_PROXY}` });
  }
}

const BY_PROXY = 'Only programs that use the proxy reach it.';
const ANY_HOST = `It can reach the internet and your own networks, but no server on this computer. ${BY_PROXY}`;

const MAX_NAMED_HOSTS = 5;

export function formatHosts(hosts: readonly string[]): string {
  const more = hosts.length > MAX_NAMED_HOSTS ? ` and ${hosts.length - MAX_NAMED_HOSTS} more` : '';
  return `${hosts.slice(0, MAX_NAMED_HOSTS).join(', ')}${more}`;
}

/** How a grant names it, and the record with it. */
export const toNetworkCapabilities = (allowed: AllowedNetwork): readonly string[] =>
  allowed === 'any' ? ['network'] : allowed.map((host) => `network:${host}`);

export const parseNetworkCapabilities = (capabilities: readonly string[]): AllowedNetwork =>
  capabilities.includes('network')
    ? 'any'
    : capabilities.filter((each) => each.startsWith('network:')).map((each) => each.slice('network:'.length));
