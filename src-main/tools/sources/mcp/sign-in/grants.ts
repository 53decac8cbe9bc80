import {
  computeScopeUnion,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  type FetchLike,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
  registerClient,
  resolveClientMetadata,
  startAuthorization,
} from '@modelcontextprotocol/client';
import { sanitize } from '../../../../domain/text/sanitize.js';
import type { SignInChallenge, SignInEndpoints } from './discovery.js';
import type { SignInFacts } from './sign-in-facts.js';

/** A page that the person can sign in on, and what is needed when they come back. */
export interface SignInRequest {
  readonly where: SignInEndpoints;
  readonly client: SignInFacts['client'];
  readonly verifier: string;
  readonly page: URL;
  readonly returnTo: string;
}

const MAX_SCOPE_LENGTH = 1000;
const MAX_ADDRESS_LENGTH = 8000;
const boundScope = (scope: string | undefined): string | null =>
  scope === undefined || scope === '' || scope.length > MAX_SCOPE_LENGTH ? null : scope;

/** The hints in a refusal on how to sign in. */
export function readChallenge(response: Response): SignInChallenge {
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return { metadataUrl: resourceMetadataUrl ?? null, scope: boundScope(scope) };
}

/** The granted scope with what the server wants besides; null where it refused for another reason. */
export function readWiderChallenge(response: Response, granted: string | null): SignInChallenge | null {
  const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  if (error !== 'insufficient_scope') return null;
  return {
    metadataUrl: resourceMetadataUrl ?? null,
    scope: boundScope(computeScopeUnion(granted ?? undefined, scope)),
  };
}

/** Makes us known there, anew for each sign-in, since the address to come back to is. */
export async function beginSignIn(
  where: SignInEndpoints,
  returnTo: string,
  state: string,
  fetch: FetchLike,
): Promise<SignInRequest> {
  const { authorizationServer, metadata, scope, resource } = where;
  if (metadata !== undefined && metadata.registration_endpoint === undefined)
    throw new Error(
      'who signs people in does not take programs that it does not know. Give the source a key in its headers instead',
    );
  const needsNoSecret = metadata?.token_endpoint_auth_methods_supported?.includes('none') === true;
  const clientMetadata = resolveClientMetadata({
    redirectUrl: returnTo,
    clientMetadata: {
      client_name: 'Gatehouse',
      redirect_uris: [returnTo],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(needsNoSecret ? { token_endpoint_auth_method: 'none' } : {}),
    },
  });
  const known = { ...(metadata === undefined ? {} : { metadata }), ...(scope === undefined ? {} : { scope }) };
  const client = await registerClient(authorizationServer, { ...known, clientMetadata, fetchFn: fetch });
  const { authorizationUrl, codeVerifier } = await startAuthorization(authorizationServer, {
    ...known,
    clientInformation: client,
    redirectUrl: returnTo,
    state,
    ...(resource === null ? {} : { resource }),
  });
  if (authorizationUrl.href.length > MAX_ADDRESS_LENGTH)
    throw new Error('the address of its page is too long to be opened');
  return { where, client, verifier: codeVerifier, page: authorizationUrl, returnTo };
}

export function exchangeCode(
  begun: SignInRequest,
  code: string,
  iss: string | null,
  fetch: FetchLike,
): Promise<OAuthTokens> {
  const { authorizationServer, metadata, resource } = begun.where;
  return exchangeAuthorization(authorizationServer, {
    clientInformation: begun.client,
    authorizationCode: code,
    codeVerifier: begun.verifier,
    redirectUri: begun.returnTo,
    fetchFn: fetch,
    ...(metadata === undefined ? {} : { metadata }),
    ...(iss === null ? {} : { iss }),
    ...(resource === null ? {} : { resource }),
  });
}

/** Renews the tokens at the address that gave them, as that was when the person signed in. */
export const renewTokens = (facts: SignInFacts, refreshToken: string, fetch: FetchLike): Promise<OAuthTokens> =>
  refreshAuthorization(facts.authorizationServer, {
    clientInformation: facts.client,
    refreshToken,
    fetchFn: fetch,
    ...(facts.metadata === null ? {} : { metadata: facts.metadata }),
    ...(facts.resource === null ? {} : { resource: facts.resource }),
  });

const TEMPORARY_ERRORS: ReadonlySet<string> = new Set([
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
]);

/** Whether the error is a refusal that would be repeated. */
export const isFinalRefusal = (error: unknown): boolean =>
  error instanceof OAuthError && !TEMPORARY_ERRORS.has(error.code);

/** Errors whose own words say nothing to a person. */
const UNREADABLE_ERRORS: ReadonlySet<string> = new Set(['ZodError', '$ZodError', 'SyntaxError']);
const MAX_SENTENCE_LENGTH = 300;

/** Words an error as one bounded sentence; what others wrote of it is sanitized, and no secret is in it. */
export function describeError(error: unknown, secrets: readonly string[] = []): string {
  const whole = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), describeCause(error));
  const words = sanitize(whole).text.replace(/\s+/gu, ' ').slice(0, MAX_SENTENCE_LENGTH);
  return `${words.replace(/[.\s]+$/u, '')}.`;
}

function describeCause(error: unknown): string {
  if (error instanceof IssuerMismatchError) return 'who answered is not who was asked';
  if (error instanceof OAuthError) return `it was refused there (${error.code}: ${error.message})`;
  if (!(error instanceof Error)) return String(error);
  return UNREADABLE_ERRORS.has(error.name) ? 'what was answered about it can’t be read' : error.message;
}
