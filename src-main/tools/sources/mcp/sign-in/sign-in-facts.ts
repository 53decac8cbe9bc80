import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import type { StoredSignIn } from '../../../../domain/ports/sources/sign-in.js';

/** The facts that a sign-in was made with: nothing of it is a secret, and all of it stays as it was then. */
export interface SignInFacts {
  /** The source's address, as it was: for another one, none of this counts. */
  readonly url: string;
  readonly authorizationServer: string;
  /** The page that the person signed in on. */
  readonly host: string;
  readonly metadata: AuthorizationServerMetadata | null;
  readonly client: OAuthClientInformationMixed;
  readonly resource: string | null;
  readonly scope: string | null;
}

/** The fields of the metadata that are needed again: where keys are renewed and revoked. */
export const pickMetadata = (metadata: AuthorizationServerMetadata | undefined): AuthorizationServerMetadata | null =>
  metadata === undefined
    ? null
    : {
        issuer: metadata.issuer,
        authorization_endpoint: metadata.authorization_endpoint,
        token_endpoint: metadata.token_endpoint,
        response_types_supported: metadata.response_types_supported,
        ...pickField(metadata, 'token_endpoint_auth_methods_supported'),
        ...pickField(metadata, 'revocation_endpoint'),
        ...pickField(metadata, 'scopes_supported'),
      };

function pickField(metadata: AuthorizationServerMetadata, name: string): Readonly<Record<string, unknown>> {
  const value = (metadata as Readonly<Record<string, unknown>>)[name];
  return value === undefined ? {} : { [name]: value };
}

/** Null where nothing is kept for exactly this address. */
export function parseFacts(kept: StoredSignIn | null, url: string): SignInFacts | null {
  if (kept === null) return null;
  try {
    const facts = JSON.parse(kept.facts) as Json;
    if (!isJsonObject(facts) || facts['url'] !== url) return null;
    const read = facts as unknown as SignInFacts;
    const client = kept.clientSecret === null ? read.client : { ...read.client, client_secret: kept.clientSecret };
    return { ...read, client };
  } catch {
    return null;
  }
}

/** The client's secret is kept apart from what anybody may see. */
export function serializeFacts(facts: SignInFacts): Pick<StoredSignIn, 'facts' | 'clientSecret'> {
  const { client_secret: secret, ...client } = facts.client as OAuthClientInformationMixed & { client_secret?: string };
  const { client_id, ...rest } = client;
  const method = (rest as Readonly<Record<string, unknown>>)['token_endpoint_auth_method'];
  const kept = { client_id, ...(typeof method === 'string' ? { token_endpoint_auth_method: method } : {}) };
  return { facts: JSON.stringify({ ...facts, client: kept }), clientSecret: secret ?? null };
}
