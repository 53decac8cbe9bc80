import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  type OAuthProtectedResourceMetadata,
  resourceUrlFromServerUrl,
} from '@modelcontextprotocol/client';
import { parseAddress } from '../../../../domain/outside/address.js';
import { OutsideProblem } from '../../../../domain/ports/outside.js';
import { isNextToThisMachine } from '../../../../platform/addresses/reachable-addresses.js';

/** The hints that a server gave when it wanted a sign-in. */
export interface SignInChallenge {
  readonly metadataUrl: URL | null;
  readonly scope: string | null;
}

export interface SignInEndpoints {
  readonly authorizationServer: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  /**
   * The resource that the server's own document names: sent along, so that what is granted is for this server alone.
   */
  readonly resource: string | null;
  readonly scope: string | undefined;
  /** Hosts that take part besides the page's and the server's own. */
  readonly others: readonly string[];
}

/** Throws an error in words where that can't be found out, or leads where it must not. */
export async function discoverEndpoints(
  url: string,
  challenge: SignInChallenge,
  fetch: FetchLike,
): Promise<SignInEndpoints> {
  const server = new URL(url);
  const own = await fetchOwnDocument(server, challenge.metadataUrl, fetch);
  const resource = own?.resource ?? null;
  const requestedResource = resourceUrlFromServerUrl(server);
  if (resource !== null && !checkResourceAllowed({ requestedResource, configuredResource: resource }))
    throw new Error(`its document is about another server (${quoteShort(resource)}), so nobody was asked`);
  const authorizationServer = own?.authorization_servers?.[0] ?? String(new URL('/', server));
  assertPermitted(authorizationServer, server, 'who signs people in');
  const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn: fetch });
  const page = metadata?.authorization_endpoint ?? String(new URL('/authorize', authorizationServer));
  const places = [page, ...(metadata === undefined ? [] : listEndpoints(metadata))];
  for (const place of places) assertPermitted(place, server, 'an address to sign in at');
  const methods = metadata?.code_challenge_methods_supported;
  if (metadata !== undefined && methods?.includes('S256') !== true)
    throw new Error('who signs people in does not say that it checks who began it (PKCE with S256), so it is not used');
  const hosts = [authorizationServer, ...places].map((place) => new URL(place).host);
  const known = new Set([new URL(page).host, server.host]);
  return {
    authorizationServer,
    metadata,
    resource,
    scope: chooseScope(challenge.scope, own, metadata),
    others: [...new Set(hosts)].filter((host) => !known.has(host)),
  };
}

/** The document of the server's own origin, or null. One that can't be read is no reason to ask elsewhere. */
async function fetchOwnDocument(
  server: URL,
  metadataUrl: URL | null,
  fetch: FetchLike,
): Promise<OAuthProtectedResourceMetadata | null> {
  if (metadataUrl !== null && metadataUrl.origin !== server.origin)
    throw new Error(`it says that its document is at ${quoteShort(metadataUrl.host)}, which is not its own address`);
  try {
    const given = metadataUrl === null ? {} : { resourceMetadataUrl: metadataUrl };
    return await discoverOAuthProtectedResourceMetadata(server, given, fetch);
  } catch (error) {
    if (error instanceof OutsideProblem) throw error;
    const words = error instanceof Error ? error.message : String(error);
    // Servers from before there was one: they sign people in themselves.
    if (metadataUrl === null && /^(?:Resource server does not implement|HTTP 4)/u.test(words)) return null;
    throw new Error('its document about signing in can’t be read', { cause: error });
  }
}

function listEndpoints(metadata: AuthorizationServerMetadata): readonly string[] {
  const { token_endpoint: token, registration_endpoint: registration } = metadata;
  const revocation = readRevocationEndpoint(metadata);
  return [token, registration, revocation].flatMap((each) => each ?? []);
}

export function readRevocationEndpoint(metadata: AuthorizationServerMetadata | null): string | null {
  const value = (metadata as Readonly<Record<string, unknown>> | null)?.['revocation_endpoint'];
  return typeof value === 'string' && URL.canParse(value) ? value : null;
}

/**
 * Throws unless an address that somebody else wrote leads over https and to other machines; to this one only where the
 * server itself is on it.
 */
function assertPermitted(place: string, server: URL, what: string): void {
  const target = URL.parse(place);
  const read = target === null ? null : parseAddress(`${target.origin}/`);
  const isHere = parseAddress(`${server.origin}/`);
  const serverIsHere = isHere.ok && isHere.address.isLoopback;
  const named = `${quoteShort(place)} is named as ${what}, and`;
  if (target === null || read?.ok !== true || target.username !== '' || target.password !== '')
    throw new Error(`${named} it is no address that can be used`);
  if (read.address.isLoopback ? !serverIsHere : isNearbyAddress(target.hostname))
    throw new Error(`${named} it is this computer or next to it`);
  if (!read.address.isPrivate) throw new Error(`${named} it is not https`);
}

/**
 * The scope that was asked for, else all that the server's document names; and the one for staying signed in longer,
 * where that has a name.
 */
function chooseScope(
  asked: string | null,
  own: OAuthProtectedResourceMetadata | null,
  metadata: AuthorizationServerMetadata | undefined,
): string | undefined {
  const scope = asked ?? own?.scopes_supported?.join(' ') ?? '';
  if (scope === '') return undefined;
  const hasLonger = metadata?.scopes_supported?.includes('offline_access') === true;
  return hasLonger && !scope.split(' ').includes('offline_access') ? `${scope} offline_access` : scope;
}

/** A name is looked up, and judged then, when it is asked. */
const isNearbyAddress = (hostname: string): boolean => {
  const literal = hostname.replace(/^\[|\]$/gu, '');
  return /^[\d.]+$|:/u.test(literal) && isNextToThisMachine(literal);
};

const MAX_SHOWN = 200;
const quoteShort = (text: string): string => JSON.stringify(text.slice(0, MAX_SHOWN));
