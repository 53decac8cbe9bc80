import type { CommandResult } from '../../../domain/ports/command-runner.js';

/** What programs say last when there is no way to where they want to go. */
const SAID =
  /could ?n[o’']t resolve|name resolution|name or service not known|nodename nor servname|network is unreachable|no route to host|getaddrinfo|\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH|ECONNREFUSED)\b|unknown ?host|no such host|connection refused|failed to lookup address|could not be reached/iu;

const NOT_WRITABLE = /read-only file system|\bEROFS\b|device or resource busy|\bEBUSY\b/iu;
const MOST_NAMED = 60;

/** Far enough from the end for what a package manager says after it. */
const LAST_WORDS = 4000;

/** For a command that failed, and seems to have failed for its confinement: what it lacked, and what can be done. */
export function whatItLacked({ confinement, stdout, stderr, readOnlyAsShared = [] }: CommandResult): string | null {
  if (confinement === null || confinement === 'unconfined') return null;
  const says = (what: RegExp): boolean => what.test(stderr.slice(-LAST_WORDS)) || what.test(stdout.slice(-LAST_WORDS));
  if (readOnlyAsShared.length > 0 && says(NOT_WRITABLE)) {
    return `Read-only here, as other folders share its files: ${readOnlyAsShared.join(', ').slice(0, MOST_NAMED)}`;
  }
  if (!says(SAID)) return null;
  return confinement === 'confined'
    ? 'It had no network; a person can allow it for a call.'
    : 'Its only network was an HTTP proxy (http_proxy); what uses none has no network.';
}
