import { type AllowedNetwork, type NetworkOffer, NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import type { ValidatedCall } from '../../domain/call/call-stages.js';
import { type AllowedHost, parseAllowedHost } from '../../domain/policy/allowed-hosts.js';
import type { TermsSituation } from '../../domain/tool/terms.js';

/**
 * Works out what network the person may allow this call: the hosts that it was judged to need, or any. Null where there
 * is nothing to allow.
 */
export function networkOffer(call: ValidatedCall, now: Omit<TermsSituation, 'network'>): NetworkOffer | null {
  const opened = call.tool.termsFor({ ...now, network: 'any' }).network;
  if (opened.by !== 'person') return null;
  const bySettings = call.tool.termsFor({ ...now, network: NOTHING_ALLOWED }).network;
  const { hosts, others } = call.judgement.needs ?? { hosts: [], others: false };
  const listed = bySettings.hosts.map(parseAllowedHost).flatMap((host) => (host.ok ? [host.allowed] : []));
  return { hosts: hosts.filter((host) => !isListed(host, listed)), others, bySettings };
}

function isListed(entry: string, listed: readonly AllowedHost[]): boolean {
  const read = parseAllowedHost(entry);
  if (!read.ok) return false;
  const { host, port } = read.allowed;
  return listed.some(
    (each) =>
      (each.port === null || each.port === port) && (each.below ? host.endsWith(`.${each.host}`) : host === each.host),
  );
}

/** Whether all of the allowed network was offered. */
export const isOffered = (allowed: AllowedNetwork, { hosts }: NetworkOffer): boolean =>
  allowed === 'any' || (allowed.length > 0 && allowed.every((host) => hosts.includes(host)));
