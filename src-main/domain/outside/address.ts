import { canonicalHost } from '../policy/allowed-hosts.js';

/** An address that requests go to: a person wrote it down, and it is read once. */
export interface Address {
  readonly url: URL;
  /** Scheme, host and port in one spelling: what a key is bound to. */
  readonly origin: string;
  readonly isLoopback: boolean;
  /** Whether nobody on the way can read it: https, or this computer. */
  readonly isPrivate: boolean;
}

export type AddressResult =
  { readonly ok: true; readonly address: Address } | { readonly ok: false; readonly problem: string };

/** Reads an address. Judged after parsing; what parsers differ about is refused. */
export function parseAddress(text: string): AddressResult {
  const no = (problem: string): AddressResult => ({ ok: false, problem });
  const url = URL.parse(text);
  if (url === null) return no('It is no address. Begin with https:// or http://.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return no('Only https:// and http:// can be used.');
  if (url.username !== '' || url.password !== '' || text.includes('@'))
    return no('It has a name or password before the host. Write the host alone.');
  if (/[\s\\]/u.test(text)) return no('It has a space or a backslash in it.');
  if (url.search !== '' || url.hash !== '') return no('It goes on after the path (? or #). Leave that out.');
  const host = canonicalHost(url.hostname);
  if (host === null) return no('Its host is none that names on the network can have.');
  const isLoopback = isLoopbackHost(host);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const origin = `${url.protocol}//${host}:${port}`;
  return { ok: true, address: { url, origin, isLoopback, isPrivate: url.protocol === 'https:' || isLoopback } };
}

/** Whether a host never leaves this computer. `0.0.0.0` does: it is every interface. */
const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d+){3}$/u.test(host);

export const isLoopbackAddress = (address: string): boolean =>
  address === '::1' || /^(?:::ffff:)?127(?:\.\d+){3}$/iu.test(address);

/** Whether a url has the same scheme, host and port, and is at or below the address's path. */
export function isWithin(url: URL, within: Address): boolean {
  if (url.username !== '' || url.password !== '' || url.protocol !== within.url.protocol) return false;
  if (url.host !== within.url.host) return false;
  const path = within.url.pathname.replace(/\/+$/u, '');
  return url.pathname === path || url.pathname.startsWith(`${path}/`);
}
