/**
 * The hosts of `tools.run_command.allowed_hosts`: a name (`example.com`), the names below one (`*.example.com`) or an
 * address (`192.0.2.7`, `[2001:db8::1]`), each with a port or, without one, for every port.
 */
export interface AllowedHost {
  /** The host as a URL spells it: lower case, punycode, addresses in their one spelling, IPv6 in brackets. */
  readonly host: string;
  /** Whether the entry means the subdomains, and not the host itself. */
  readonly below: boolean;
  readonly port: number | null;
}

export type ParsedAllowedHost =
  { readonly ok: true; readonly allowed: AllowedHost } | { readonly ok: false; readonly problem: string };

export function parseAllowedHost(entry: string): ParsedAllowedHost {
  const text = entry.trim();
  const refuse = (why: string): ParsedAllowedHost => ({ ok: false, problem: `“${entry.slice(0, 200)}” ${why}` });
  if (text === '*') return refuse('means every host: for that, set tools.run_command.network = true');
  if (text.includes('/')) return refuse('is not a host: write it without “https://” and without a path');
  const below = text.startsWith('*.');
  const [host, port] = splitPort(below ? text.slice(2) : text);
  if (host === '' || /[\s@?#\\*%]/u.test(host)) return refuse(`is not a host: ${FORMS}`);
  const canonical = canonicalHost(host);
  if (canonical === null) return refuse(`is not a host: ${FORMS}`);
  if (below && (isAddress(canonical) || !canonical.includes('.'))) {
    return refuse('is too wide: after “*.” comes a name of at least two parts, such as *.example.com');
  }
  if (port !== null && !(Number(port) >= 1 && Number(port) <= 65_535)) {
    return refuse('has a port that is not a number from 1 to 65535');
  }
  return { ok: true, allowed: { host: canonical, below, port: port === null ? null : Number(port) } };
}

const FORMS =
  'write a name (example.com, *.example.com) or an address, and a port if only one is meant (example.com:443)';

/** The first entry that can't be meant; null where all can. */
export function explainWrongHost(entries: readonly string[]): string | null {
  for (const entry of entries) {
    const read = parseAllowedHost(entry);
    if (!read.ok) return read.problem;
  }
  return null;
}

export const isHostAllowed = (hosts: readonly AllowedHost[], host: string, port: number): boolean =>
  hosts.some(
    (allowed) =>
      (allowed.port === null || allowed.port === port) &&
      (allowed.below ? host.endsWith(`.${allowed.host}`) : host === allowed.host),
  );

/** A host in the one spelling that is compared; null where it is none. */
export function canonicalHost(host: string): string | null {
  const unbracketed = /^[0-9a-f:.]*:[0-9a-f:.]*$/iu.test(host) ? `[${host}]` : host;
  if (unbracketed.includes(':') && !unbracketed.startsWith('[')) return null;
  const url = URL.parse(`http://${unbracketed}/`);
  if (url === null || url.username !== '' || url.port !== '' || url.pathname !== '/') return null;
  const name = url.hostname.replace(/\.$/u, '');
  // What URLs let through for the sake of the web's past, and no name server is asked for.
  return name === '' || !/^(?:\[[0-9a-f:.]+\]|[a-z0-9_.-]+)$/u.test(name) ? null : name;
}

const isAddress = (host: string): boolean => host.startsWith('[') || /^\d+(?:\.\d+){3}$/u.test(host);

/** An IPv6 address has colons of its own, so its port needs brackets. */
function splitPort(text: string): readonly [host: string, port: string | null] {
  const bracketed = /^(\[[^\]]*\])(?::(.*))?$/u.exec(text);
  if (bracketed !== null) return [bracketed[1] ?? '', bracketed[2] ?? null];
  if (text.split(':').length > 2) return [text, null];
  const at = text.indexOf(':');
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}
