import { canonicalHost } from '../../../policy/allowed-hosts.js';

const USUAL_PORT: Readonly<Record<string, string>> = { http: '80', https: '443', ws: '80', wss: '443', ftp: '21' };

/**
 * Extracts the host of an address: `https://host/…`, `ssh://user@host`, `user@host:path` of Git and rsync. As
 * `allowed_hosts` has it: with its port where that is not the usual one, and on this machine always, where each port is
 * somebody else.
 */
export function parseHost(text: string): string | null {
  const url = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#\s]*@)?(\[[0-9a-f:.]+\]|[^/:\s?#]+)(?::(\d*))?/iu.exec(text);
  if (url !== null) {
    const [, scheme = '', name = '', port = ''] = url;
    const kind = scheme.toLowerCase().replace(/^(?:git|svn|hg|sparse)\+/u, '');
    return kind === 'file' ? null : withPort(name, port, USUAL_PORT[kind] ?? '');
  }
  const short = /^[\w.-]+@([\w.-]+):/u.exec(text);
  return short === null ? null : canonicalHost(short[1] ?? '');
}

/** A host as programs take it without `https://`: `example.com`, `user@example.com:8443/path`. */
export function parseHostName(text: string): string | null {
  const [, name = '', port = ''] =
    /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d+))?/iu.exec(text.replace(/[/?#].*$/su, '').replace(/^.*@/u, '')) ?? [];
  return withPort(name, port, USUAL_PORT['http'] ?? '');
}

function withPort(name: string, port: string, usual: string): string | null {
  const host = canonicalHost(name);
  if (host === null) return null;
  const named = port === '' ? usual : port;
  return isLoopback(host) ? (named === '' ? host : `${host}:${named}`) : named === usual ? host : `${host}:${named}`;
}

/** Addresses anywhere in a text. */
export const findHosts = (text: string): readonly string[] =>
  [...text.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>|;)]+|\b[\w.-]+@[\w.-]+\.[a-z]{2,}:[\w./~-]+/giu)]
    .map(([address]) => parseHost(address))
    .filter((host) => host !== null);

const LOOPBACK = /^(?:(?:.*\.)?localhost|127(?:\.\d+){0,3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[0-9a-f:]+\])(?::\d+)?$/iu;
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
