import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface HttpRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export type GuardVerdict<Who> =
  { readonly ok: true; readonly who: Who } | { readonly ok: false; readonly refusal: HttpRefusal };

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Admits a request or refuses it. Host and Origin come first: a page that reached this port through a rebound name
 * learns nothing about tokens.
 */
export function guardRequest<Who>(request: IncomingMessage, whose: (token: string) => Who | null): GuardVerdict<Who> {
  const hosts = request.headersDistinct['host'] ?? [];
  if (hosts.length !== 1 || !LOOPBACK.has(hostnameOf(hosts[0] ?? '')))
    return refused(
      403,
      'ForeignHost',
      'The Host header is not a loopback name. Use the address in gateway.json (http://127.0.0.1:PORT).',
    );
  const origins = request.headersDistinct['origin'] ?? [];
  if (origins.some((origin) => !isLoopbackOrigin(origin)))
    return refused(
      403,
      'ForeignOrigin',
      'Pages of other origins may not use the gateway. Connect from a program instead of a browser page.',
    );
  const given = /^Bearer +([^\s]{1,1000})$/i.exec(request.headers.authorization ?? '')?.[1];
  const who = given === undefined ? null : whose(given);
  if (who === null)
    return refused(
      401,
      'Unauthorized',
      'Send “Authorization: Bearer <token>” with an agent’s token, or the person’s own from gateway.json in the data folder.',
    );
  return { ok: true, who };
}

const refused = (status: number, code: string, message: string): GuardVerdict<never> => ({
  ok: false,
  refusal: { status, code, message },
});

/** Both sides are hashed before they are compared, so that neither length nor content shows in time. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

function hostnameOf(host: string): string {
  // No URL parser: it would also take “user@127.0.0.1”, tabs and other spellings.
  return /^(\[::1\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase() ?? '';
}

/** Pages of this machine's own servers still need the token, and are given no permission to read an answer. */
function isLoopbackOrigin(origin: string): boolean {
  return LOOPBACK.has(hostnameOf(/^https?:\/\/(.+)$/i.exec(origin)?.[1] ?? ''));
}
