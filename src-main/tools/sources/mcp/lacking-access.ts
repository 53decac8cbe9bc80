import { ToolFailure } from '../../../domain/tool/tool.js';

export interface GrantedAccess {
  readonly source: string;
  /** The hosts that its settings name. */
  readonly network: readonly string[];
  /** The folder that it has to itself; null where it runs elsewhere. */
  readonly home: (() => string) | null;
}

/** Messages of programs that have no network, with the host where they name it. */
const NETWORK_ERROR =
  /\b(?:fetch failed|(?:getaddrinfo |connect )?(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)\b[^\n"]{0,80}|Temporary failure in name resolution|Name or service not known|Could not resolve host[^\n"]{0,80}|Network is unreachable)/u;
const READ_ONLY_ERROR = /\bEROFS\b|read-only file ?system/iu;

/** Why it failed, as far as that is something that it was not given, and what to set; null where nothing says so. */
export function explainLackingAccess(
  { source, network, home }: GrantedAccess,
  said: string,
  refused: readonly string[],
): string | null {
  if (home === null) return null;
  const set = (hosts: readonly string[]): string =>
    `network = [${[...network, ...hosts].map((host) => JSON.stringify(host)).join(', ')}] under [sources.${source}]`;
  if (refused.length > 0)
    return `It asked for ${refused.join(', ')}, which it may not reach. The user can let it, with ${set(refused)}.`;
  if (READ_ONLY_ERROR.test(said))
    return `It may write to its own folder and nowhere else: its program’s folder is read-only. The user can name a place below ${home()} in its settings.`;
  const quoted = network.length > 0 ? null : (NETWORK_ERROR.exec(said)?.[0] ?? null);
  if (quoted === null) return null;
  return `It has no network, and said “${quoted.trim()}”. The user can name the hosts that it may reach, as in ${set(['example.com:443'])}.`;
}

/** The same end, with what it lacked. */
export function addLackingAccess(error: unknown, lacked: (said: string) => string | null): unknown {
  if (!(error instanceof ToolFailure)) return error;
  const words = lacked(error.failure.message);
  return words === null ? error : new ToolFailure({ ...error.failure, message: `${error.failure.message} ${words}` });
}
