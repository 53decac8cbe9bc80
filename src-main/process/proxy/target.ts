import { canonicalHost } from '../../domain/policy/allowed-hosts.js';

/** Where a proxy’s client wants to go. */
export interface ProxyTarget {
  /** The host as the list of hosts spells it. */
  readonly host: string;
  readonly port: number;
  /** The path from the first slash on, untouched. */
  readonly path: string;
}

/** `http://host:port/path`, as clients ask a proxy; null where it is something else. */
export function parseUrlTarget(url: string): ProxyTarget | null {
  const parts = /^http:\/\/([^/?#]*)([^#]*)/iu.exec(url);
  const authority = parts?.[1]?.replace(/^[^@]*@/u, '');
  const path = parts?.[2] ?? '';
  if (authority === undefined) return null;
  const place = parseAuthorityTarget(/:\d+$/u.test(authority) ? authority : `${authority}:80`);
  return place === null ? null : { ...place, path: path.startsWith('/') ? path : `/${path}` };
}

/** `host:port`, as CONNECT names it. */
export function parseAuthorityTarget(authority: string): ProxyTarget | null {
  const [, host, digits] = /^(.+):(\d{1,5})$/u.exec(authority) ?? [];
  const canonical = host === undefined ? null : canonicalHost(host);
  const port = Number(digits);
  return canonical === null || port < 1 || port > 65_535 ? null : { host: canonical, port, path: '/' };
}

/** Sockets want an IPv6 address without its brackets. */
export const forSocket = ({ host, port }: ProxyTarget): { host: string; port: number } => ({
  host: host.replace(/^\[(.*)\]$/u, '$1'),
  port,
});
