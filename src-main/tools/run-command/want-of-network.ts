import type { CommandResult } from '../../domain/ports.js';

/** What programs say last when there is no way to where they want to go. */
const SAID =
  /could ?n[o’']t resolve|name resolution|name or service not known|nodename nor servname|network is unreachable|no route to host|getaddrinfo|\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ECONNREFUSED)\b|unknown ?host|no such host|connection refused|failed to lookup address|could not be reached/iu;

/** Far enough from the end for what a package manager says after it. */
const LAST_WORDS = 4000;

/** For a command that failed and seems to have wanted a network: what it had of one, and what can be done. */
export function wantOfNetwork({ confinement, stdout, stderr }: CommandResult): string | null {
  if (confinement === null || confinement === 'unconfined') return null;
  if (!SAID.test(stderr.slice(-LAST_WORDS)) && !SAID.test(stdout.slice(-LAST_WORDS))) return null;
  return confinement === 'confined'
    ? 'It had no network; a person can allow it for a call.'
    : 'Its only network was an HTTP proxy (http_proxy); what uses none has no network.';
}
